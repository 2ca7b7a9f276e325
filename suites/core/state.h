#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suites/core/communicator.h"
#include "suites/core/node.h"
#include "suites/core/record.h"
#include "suites/core/test.h"

namespace acceptance {

/// Thrown by a body that cannot apply here; the text is the reason, in the system's words.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Thrown by a body that ran and saw the machine do something wrong (a wrong result, lost data).
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Figures one repetition gave: metric name and value in base units.
using Figures = std::vector<std::pair<std::string_view, double>>;

/// What a body sees: its parameter point, its node, the ranks beside it; and where its samples go.
class State {
 public:
  State(const Assignment& assignment, const Test& test, const Node& node, Communicator& group);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  double number(const std::string& parameter) const;
  const std::string& word(const std::string& parameter) const;
  const Node& node() const { return node_; }
  const std::vector<std::string>& places() const { return assignment_.places; }
  Communicator& group() { return group_; }

  /// Repeats `repeat` by the test's sampling rule: warm-up, then samples. `repeat` returns the
  /// seconds that this rank took; the slowest rank's count (a rank whose own time means nothing
  /// returns 0). `figures` turns seconds into one value per metric; the first one steers the
  /// stopping rule. All ranks call it together; rank 0 decides when to stop and keeps the samples.
  void sample(const std::function<double()>& repeat,
              const std::function<Figures(double seconds)>& figures);

  /// Adds a value of a metric without the sampling loop. Throws std::logic_error for an undeclared
  /// metric.
  void add(std::string_view metric, double value);

  /// A fact about this measurement, kept beside its figures.
  void observe(std::string name, Value value, Unit unit = Unit::text);

  /// All ranks call it; if any of them is not ok, all throw Failure, naming the ranks and their
  /// reasons.
  void require(bool ok, std::string_view reason);

  /// A new empty folder under the target, removed with everything in it when the state goes.
  /// Throws Skip with the system's words when it can't be made.
  const std::filesystem::path& scratch();

  /// What the body is doing, for whoever asks while it hangs.
  void phase(const char* what) { phase_.store(what, std::memory_order_relaxed); }
  const char* phase() const { return phase_.load(std::memory_order_relaxed); }

  std::vector<Measurement> take_measurements() { return std::move(measurements_); }
  std::vector<Observation> take_observations() { return std::move(observations_); }

 private:
  double slowest(double seconds);

  const Assignment& assignment_;
  const Test& test_;
  const Node& node_;
  Communicator& group_;
  std::vector<Measurement> measurements_;
  std::vector<Observation> observations_;
  std::vector<int> slowest_count_;  // per rank: how many samples it was the slowest of
  bool several_clocks_ = false;     // more than one rank's time counted
  std::filesystem::path scratch_;
  std::atomic<const char*> phase_{"starting"};
};

/// Every folder State::scratch makes is called "accept-scratch-RUN-NODE-PID-XXXXXX": several nodes
/// may share the target, and a process that cleans up after itself must not take its neighbours'
/// folders along.
inline constexpr std::string_view scratch_prefix = "accept-scratch-";
/// Path of a node's scratch folders of a run up to what tells processes apart.
std::string scratch_of(const std::string& target, const std::string& run, const std::string& node);
/// Path of this process's scratch folders up to the last part; empty without a target.
std::string own_scratch_prefix(const Assignment& assignment, const Node& node);

}  // namespace acceptance
