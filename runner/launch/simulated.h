#pragma once
#include <string>
#include <utility>
#include <vector>

#include "reports/reference/catalogue.h"
#include "runner/launch/faults.h"
#include "runner/launch/running.h"

namespace acceptance {

/// Carries launches out on made-up nodes in no time at all, with typical figures as plain data,
/// seeded noise and faults: the engine for rehearsing a run, and for finding out how often it is
/// wrong. Shares no code with what judges it.
class Simulation {
 public:
  /// The nodes are those that `cluster` promises, of hardware out of `catalogue`; without it of no
  /// kind in particular.
  Simulation(Simulated is, Events events, const Cluster* cluster = nullptr,
             const Catalogue* catalogue = nullptr)
      : is_(std::move(is)), events_(std::move(events)), cluster_(cluster), catalogue_(catalogue) {}
  void run(const std::vector<Launch>& launches);
  /// Seconds of the time that it pretends has gone by.
  double seconds() const { return now_; }

 private:
  void ask(const Launch& launch);
  void work_through(const Launch& launch);
  Record carried_out(const Assignment& assignment) const;
  void measure(Record& record) const;
  double healthy(const Assignment& assignment, const Metric& metric) const;
  double share_of(const Assignment& assignment, const Metric& metric) const;

  Simulated is_;
  Events events_;
  const Cluster* cluster_;
  const Catalogue* catalogue_;
  double now_ = 0;
};

/// What a simulated node says that it is made of.
Node made_up(const std::string& name, const Simulated& is, const Cluster* cluster,
             const Catalogue* catalogue);

}  // namespace acceptance
