#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/launch/running.h"

namespace acceptance {

/// Faults to order: "dead=n7,hung=n9,slow=n12:0.8,slow-link=n3+n4:0.5,seed=3".
struct Faults {
  std::set<std::string> dead;          ///< never answers
  std::set<std::string> hung;          ///< answers when asked what it is made of, then never again
  std::map<std::string, double> slow;  ///< node → share of the usual speed
  std::map<std::pair<std::string, std::string>, double> slow_links;
  std::uint64_t seed = 1;
};
/// Throws std::invalid_argument, with a suggestion, for anything else and for names not among
/// `nodes`.
Faults read_faults(const std::string& text, const std::vector<std::string>& nodes);

/// Carries launches out on made-up nodes in no time at all, with typical figures as plain data,
/// seeded noise and faults: the engine for rehearsing a run. Shares no code with what judges it.
class Simulation {
 public:
  Simulation(Faults faults, Events events)
      : faults_(std::move(faults)), events_(std::move(events)) {}
  void run(const std::vector<Launch>& launches);
  /// Seconds of the time that it pretends has gone by.
  double seconds() const { return now_; }

 private:
  void ask(const Launch& launch);
  void work_through(const Launch& launch);
  Record measured(const Assignment& assignment) const;
  double speed(const Assignment& assignment) const;

  Faults faults_;
  Events events_;
  double now_ = 0;
};

}  // namespace acceptance
