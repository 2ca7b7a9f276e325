// Two runs of one cluster beside each other.
#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "reports/compare/changes.h"
#include "tests/benchmarks/detector/detector.h"

namespace {

using namespace acceptance;
using Random = std::mt19937_64;

struct Runs {
  int nodes = 32, metrics = 20, repetitions = 3;
  double run_noise = 0.01;  // of a place, from repetition to repetition
  double common_noise = 0;  // of all places together, from repetition to repetition
  double common_shift = 0, one_shift = 0;
};

RunFiles run_of(const Runs& r, Random& random, bool after) {
  std::normal_distribution<double> normal;
  RunFiles files;
  files.run = {{"request", {{"repeat", r.repetitions}}}};
  Test t;
  t.name = "compute.made_up";
  for (int m = 0; m < r.metrics; ++m)
    t.metrics.push_back({fmt::format("m{}", m), Unit::flop_per_second, Better::higher, ""});
  files.tests = {t};
  for (int repetition = 1; repetition <= r.repetitions; ++repetition) {
    std::vector<double> common;
    for (int m = 0; m < r.metrics; ++m) common.push_back(1 + r.common_noise * normal(random));
    for (int n = 0; n < r.nodes; ++n) {
      Record record;
      record.outcome = Outcome::ok;
      record.assignment.test = t.name;
      record.assignment.places = {fmt::format("n{}", n)};
      record.assignment.attempt = repetition;
      const double shift = !after ? 1 : (1 - r.common_shift) * (n == 0 ? 1 - r.one_shift : 1);
      for (int m = 0; m < r.metrics; ++m) {
        Samples samples;
        const double level =
            1e12 * shift * common[static_cast<std::size_t>(m)] * (1 + r.run_noise * normal(random));
        for (int i = 0; i < 8; ++i) samples.add(level * (1 + 0.005 * normal(random)));
        record.measurements.push_back(
            {t.metrics[static_cast<std::size_t>(m)].name, Unit::flop_per_second, samples});
      }
      files.records.push_back(std::move(record));
    }
  }
  return files;
}

void row(const std::string& what, const Runs& r, int pairs) {
  int wrong = 0, common = 0, one = 0;
  for (int i = 0; i < pairs; ++i) {
    Random random(static_cast<std::uint64_t>(i) * 15331 + 11);
    const RunFiles before = run_of(r, random, false), after = run_of(r, random, true);
    bool mistaken = false;
    int common_found = 0, one_found = 0;
    for (const ChangedGroup& g : changes(before, after)) {
      if (g.common.move == Move::regressed)
        ++(r.common_shift > 0 ? common_found : one_found),
            mistaken = mistaken || r.common_shift <= 0;
      for (const Change& c : g.places)
        if (c.move == Move::regressed) {
          const bool meant = r.one_shift > 0 && c.where[0] == "n0";
          one_found += meant;
          mistaken = mistaken || !meant;
        }
    }
    wrong += mistaken;
    common += common_found;
    one += one_found;
  }
  const auto share = [&](double wanted, int found) {
    return wanted > 0 ? fmt::format("{:.1f} %", 100.0 * found / pairs / r.metrics)
                      : std::string("-");
  };
  fmt::print("| {} | {} | {} | {:.1f} % | {} | {} |\n", what, r.nodes, pairs, 100.0 * wrong / pairs,
             share(r.common_shift, common), share(r.one_shift, one));
  std::fflush(stdout);
}

}  // namespace

void write_compare(int pairs) {
  fmt::print(
      "## Before and after\n\nTwo runs of one cluster, 20 metrics, 3 repetitions a side, 1 % noise "
      "from "
      "repetition to repetition. Wrong: a regression was reported of what had not regressed. "
      "Found: of the 20 "
      "metrics.\n\n| what happened between | nodes | pairs of runs | wrong | common shift found | "
      "node "
      "found |\n|---|---|---|---|---|---|\n");
  for (const int nodes : {1, 4, 32}) row("nothing", {.nodes = nodes}, pairs);
  row("nothing; all together 1 % from run to run", {.common_noise = 0.01}, pairs);
  row("nothing; 3 % noise from run to run", {.run_noise = 0.03}, pairs);
  row("all 3 % slower", {.common_shift = 0.03}, pairs);
  row("one node 8 % slower", {.one_shift = 0.08}, pairs);
  row("all 3 %, and one node 8 % more", {.common_shift = 0.03, .one_shift = 0.08}, pairs);
  row("one node 15 % slower", {.nodes = 4, .one_shift = 0.15}, pairs);
  fmt::print("\n");
}
