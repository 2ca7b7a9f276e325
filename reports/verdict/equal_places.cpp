#include "reports/verdict/equal_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "reports/verdict/rules.h"
#include "suites/core/statistics.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

/// What equal nodes have in common, and how to call them.
std::string kind_of(const Node& n, const Promise& promise) {
  if (const Cluster* c = promise.promised())
    if (const NodeGroup* g = group_of(*c, n.name)) return fmt::format("nodes of group {}", g->name);
  const auto product = n.system.find("product_name");
  std::string words = product == n.system.end() ? "" : product->second + ", ";
  words += n.cpu.model.empty() ? "unknown CPU" : n.cpu.model;
  for (const auto& [gpu, count] : gpus_of(n, promise.catalogue()))
    words += fmt::format(", {} {}", count, gpu);
  return "nodes of one model (" + words + ")";
}

/// Ranks of one machine share it: they aren't places beside each other.
bool has_places(const RunFiles& files) { return files.run.value("launcher", "") != "local"; }

/// Standard error of the median, relative, as its own samples show it.
double own_error(const Samples& samples) {
  constexpr double normal_95 = 1.96;
  if (const auto i = samples.interval())
    return (i->high - i->low) / 2 / normal_95 / samples.median();
  return samples.deviation() / std::sqrt(static_cast<double>(samples.count())) / samples.median();
}

/// What a place reached at one point, in all attempts.
struct Looks {
  double count = 0, sum = 0, squares = 0, squared_errors = 0;
  std::vector<double> again;

  void add(const Samples& samples, bool second) {
    const double figure = samples.median(), error = own_error(samples);
    ++count;
    sum += figure;
    squares += figure * figure;
    squared_errors += error * error;
    if (second) again.push_back(figure);
  }

  /// Attempts that differ by more than their samples tell make the place uncertain.
  FleetPlace place(std::string name) const {
    const double mean = sum / count;
    const double between =
        count < 2 ? 0 : std::max(0.0, squares / (mean * mean) - count) / (count - 1);
    return {std::move(name), mean, std::sqrt(std::max(squared_errors / count, between) / count),
            again.empty() ? 0 : median(again)};
  }
};

/// Calls with each figure above 0: record, metric, samples, and whether it is of a second look.
template <class Take>
void each_figure(const RunFiles& files, std::size_t places, Take take) {
  std::unordered_map<std::string, const Test*> tests;
  for (const Test& t : files.tests) tests[t.name] = &t;
  for (const Record& r : files.records) {
    if (r.outcome != Outcome::ok || r.assignment.places.size() != places) continue;
    const auto test = tests.find(r.assignment.test);
    if (test == tests.end()) continue;
    for (const Metric& metric : test->second->metrics)
      for (const Measurement& m : r.measurements)
        if (m.metric == metric.name && m.unit == metric.unit && m.samples.count() > 0 &&
            m.samples.median() > 0)
          take(r.assignment, metric, m.samples,
               r.assignment.attempt > planned_attempts(files, *test->second));
  }
}

}  // namespace

int attempts_each(const Test& test) { return test.twice ? 2 : 1; }

int planned_attempts(const RunFiles& files, const Test& test) {
  const auto request = files.run.find("request");
  const int repeat = request == files.run.end() ? 1 : request->value("repeat", 1);
  return attempts_each(test) * std::max(1, repeat);
}

double least_that_matters(const RunFiles& files, const std::string& test, Unit unit) {
  if (const Cluster* c = files.promise.promised())
    for (const auto& [what, ratio] : c->policy.tolerance)
      if (glob(what, test)) return ratio;
  return practical_difference(test, unit);
}

std::vector<FleetGroup> fleet_of(const RunFiles& files) {
  if (!has_places(files)) return {};
  std::unordered_map<std::string, std::string> kinds;
  for (const Node& n : files.nodes) kinds[n.name] = kind_of(n, files.promise);
  std::map<std::string, std::pair<FleetGroup, std::map<std::string, Looks>>> by_key;
  each_figure(
      files, 1,
      [&](const Assignment& a, const Metric& metric, const Samples& samples, bool second) {
        const auto kind = kinds.find(a.places[0]);
        if (kind == kinds.end()) return;
        auto& [group, places] =
            by_key[fmt::format("{}/{}/{}/{}", a.test, metric.name, key(a.point), kind->second)];
        if (places.empty()) {
          group.test = a.test;
          group.metric = metric.name;
          group.point = a.point;
          group.unit = metric.unit;
          group.better = metric.better;
          group.what = kind->second;
          group.least = least_that_matters(files, a.test, metric.unit);
        }
        places[a.places[0]].add(samples, second);
      });
  std::vector<FleetGroup> groups;
  for (auto& [name, entry] : by_key) {
    auto& [group, places] = entry;
    if (places.size() < 2) continue;
    for (const auto& [place, looks] : places) group.places.push_back(looks.place(place));
    groups.push_back(std::move(group));
  }
  compare_fleet(groups);
  return groups;
}

std::vector<RunPairs> pairs_of(const RunFiles& files) {
  if (!has_places(files)) return {};
  std::unordered_map<std::string, std::size_t> numbers;
  PairMatrix empty;
  const Cluster* promised = files.promise.promised();
  for (const Node& n : files.nodes) {
    numbers[n.name] = empty.nodes.size();
    empty.nodes.push_back(n.name);
    empty.leaves.push_back(promised ? leaf_of(*promised, n.name) : "");
  }
  using Ways = std::map<std::pair<std::size_t, std::size_t>, Looks>;
  std::map<std::string, std::pair<RunPairs, Ways>> by_key;
  each_figure(files, 2,
              [&](const Assignment& a, const Metric& metric, const Samples& samples, bool second) {
                const auto from = numbers.find(a.places[0]), to = numbers.find(a.places[1]);
                if (from == numbers.end() || to == numbers.end() || from == to) return;
                auto& [pairs, ways] =
                    by_key[fmt::format("{}/{}/{}", a.test, metric.name, key(a.point))];
                if (ways.empty()) {
                  pairs = {a.test, metric.name, a.point, metric.unit, empty, {}};
                  pairs.matrix.better = metric.better;
                  pairs.matrix.least = least_that_matters(files, a.test, metric.unit);
                }
                ways[{from->second, to->second}].add(samples, second);
              });
  std::vector<RunPairs> all;
  std::vector<PairMatrix> matrices;
  for (auto& [name, entry] : by_key) {
    auto& [pairs, ways] = entry;
    pairs.matrix.cells.reserve(ways.size());
    for (const auto& [ends, looks] : ways) {
      const FleetPlace both = looks.place("");
      pairs.matrix.cells.push_back({ends.first, ends.second, 0, both.figure, both.again});
    }
    ways.clear();  // a million of them are no small thing
    matrices.push_back(std::move(pairs.matrix));
    all.push_back(std::move(pairs));
  }
  auto faults = blame_pairs(matrices);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].faults = std::move(faults[i]);
    all[i].matrix = std::move(matrices[i]);
  }
  return all;
}

}  // namespace acceptance
