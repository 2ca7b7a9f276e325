#include "suites/core/state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>

namespace acceptance {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::string place_of(const Assignment& a, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return r < a.places.size() ? fmt::format("{} rank {}", a.places[r], rank)
                             : fmt::format("rank {}", rank);
}

}  // namespace

std::string own_scratch_prefix(const Assignment& assignment, const Node& node) {
  if (assignment.target.empty()) return "";
  return fmt::format("{}{}-", scratch_of(assignment.target, assignment.run, node.name), ::getpid());
}

std::string scratch_of(const std::string& target, const std::string& run, const std::string& node) {
  return fmt::format("{}/{}{}-{}-", target, scratch_prefix, run, node);
}

State::State(const Assignment& assignment, const Test& test, const Node& node, Communicator& group)
    : assignment_(assignment),
      test_(test),
      node_(node),
      group_(group),
      slowest_count_(static_cast<std::size_t>(group.size())) {}

State::~State() {
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

double State::number(const std::string& parameter) const {
  return assignment_.point.at(parameter).number();
}

const std::string& State::word(const std::string& parameter) const {
  return assignment_.point.at(parameter).word();
}

double State::slowest(double seconds) {
  if (group_.size() == 1) return seconds;
  const std::vector<double> all = acceptance::gather(group_, seconds);
  if (all.empty()) return 0;
  several_clocks_ = std::count_if(all.begin(), all.end(), [](double s) { return s > 0; }) > 1;
  const auto worst = std::max_element(all.begin(), all.end());
  ++slowest_count_[static_cast<std::size_t>(worst - all.begin())];
  return *worst;
}

void State::sample(const std::function<double()>& repeat,
                   const std::function<Figures(double)>& figures) {
  const bool lead = group_.rank() == 0;
  std::vector<double> seen;
  phase("warming up");
  for (Stopwatch watch;;) {
    seen.push_back(slowest(repeat()));
    if (broadcast(group_, lead && warm(seen, watch.seconds(), assignment_.sampling))) break;
  }
  phase("sampling");
  std::fill(slowest_count_.begin(), slowest_count_.end(), 0);
  seen.clear();
  for (Stopwatch watch;;) {
    const double seconds = slowest(repeat());
    if (lead) {
      if (!(seconds > 0) || !std::isfinite(seconds))
        throw std::runtime_error(
            fmt::format("a repetition took {} s: the clock is too coarse or went "
                        "backwards",
                        seconds));
      const Figures all = figures(seconds);
      for (const auto& [metric, value] : all) add(metric, value);
      if (!all.empty()) seen.push_back(all.front().second);
    }
    if (broadcast(group_, lead && enough(seen, watch.seconds(), assignment_.sampling))) break;
  }
  phase("after sampling");
  if (!lead || group_.size() == 1) return;
  const auto worst = std::max_element(slowest_count_.begin(), slowest_count_.end());
  if (!several_clocks_) return;
  observe("slowest rank", place_of(assignment_, static_cast<int>(worst - slowest_count_.begin())));
  observe("slowest rank's share of samples",
          *worst / static_cast<double>(std::max<std::size_t>(seen.size(), 1)), Unit::ratio);
}

void State::add(std::string_view metric, double value) {
  const auto same = [&](const auto& m) { return m.metric == metric; };
  auto it = std::find_if(measurements_.begin(), measurements_.end(), same);
  if (it == measurements_.end()) {
    const auto declared = std::find_if(test_.metrics.begin(), test_.metrics.end(),
                                       [&](const Metric& m) { return m.name == metric; });
    if (declared == test_.metrics.end())
      throw std::logic_error(fmt::format("{} has no metric '{}'", test_.name, metric));
    it = measurements_.insert(it, {declared->name, declared->unit, {}});
  }
  it->samples.add(value);
}

void State::observe(std::string name, Value value, Unit unit) {
  observations_.push_back({std::move(name), "", std::move(value), unit});
}

void State::require(bool ok, std::string_view reason) {
  using Text = std::array<char, 200>;
  Text mine{};
  if (!ok) reason.copy(mine.data(), mine.size() - 1);
  if (!ok && reason.empty()) mine[0] = '?';
  const std::vector<Text> all = acceptance::gather(group_, mine);
  std::vector<std::string> bad;
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r][0] != '\0')
      bad.push_back(
          group_.size() == 1
              ? std::string(all[r].data())
              : fmt::format("{}: {}", place_of(assignment_, static_cast<int>(r)), all[r].data()));
  std::array<char, 1000> verdict{};
  fmt::format("{}", fmt::join(bad, "; ")).copy(verdict.data(), verdict.size() - 1);
  verdict = broadcast(group_, verdict);
  if (verdict[0] != '\0') throw Failure(verdict.data());
}

const std::filesystem::path& State::scratch() {
  if (!scratch_.empty()) return scratch_;
  if (assignment_.target.empty()) throw Skip("no target folder was given for storage tests");
  std::string pattern = own_scratch_prefix(assignment_, node_) + "XXXXXX";
  if (!::mkdtemp(pattern.data()))
    throw Skip(fmt::format("can't make a folder in {}: {}; choose another with --target",
                           assignment_.target, std::generic_category().message(errno)));
  return scratch_ = pattern;
}

}  // namespace acceptance
