// How often the fleet judge is wrong, on made-up clusters, beside the rules that others use.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "reports/verdict/fleet.h"
#include "tests/benchmarks/detector/detector.h"

namespace {

using namespace acceptance;
using Random = std::mt19937_64;

struct Fleet {
  int nodes = 32, gpus = 8, metrics = 40;
  double between = 0.01;  ///< spread from place to place
  double within = 0.01;   ///< noise of a sample
  double racks = 0;       ///< spread from rack to rack, of eight nodes each
  bool heavy_noise = false, heavy_between = false;
  int bad = 0;  ///< nodes that are slow throughout
  double slow = 0.08;
};

constexpr int samples_each = 30;

double student(Random& random, double freedom) {
  return std::student_t_distribution<double>(freedom)(random);
}
double normal(Random& random) { return std::normal_distribution<double>()(random); }

/// Median of 30 noisy samples, and its relative standard error by their spread.
std::pair<double, double> measure(double truth, const Fleet& f, Random& random) {
  std::vector<double> v(samples_each);
  for (double& x : v)
    x = truth * (1 + f.within * (f.heavy_noise ? student(random, 4) : normal(random)));
  std::sort(v.begin(), v.end());
  const double median = (v[14] + v[15]) / 2;
  return {median, (v[20] - v[9]) / 2 / 1.96 / median};  // the interval's ranks
}

std::vector<FleetGroup> make(const Fleet& f, Random& random) {
  std::vector<FleetGroup> groups(static_cast<std::size_t>(f.metrics));
  for (int m = 0; m < f.metrics; ++m) {
    FleetGroup& g = groups[static_cast<std::size_t>(m)];
    g.test = "compute.made_up";
    g.metric = std::to_string(m);
    g.unit = Unit::flop_per_second;
    double rack = 0;
    for (int n = 0; n < f.nodes; ++n)
      for (int d = 0; d < f.gpus; ++d) {
        if (n % 8 == 0 && d == 0) rack = f.racks * normal(random);
        const double off =
            rack + f.between * (f.heavy_between ? student(random, 3) : normal(random));
        const double share = n < f.bad ? 1 - f.slow : 1;
        const auto [median, error] =
            measure(1e12 * share * std::clamp(1 + off, 0.1, 2.0), f, random);
        g.places.push_back({fmt::format("n{} gpu{}", n, d), median, error});
      }
  }
  return groups;
}

std::string node(const FleetGroup& g, std::size_t i) {
  return g.places[i].name.substr(0, g.places[i].name.find(' '));
}

/// A rule says which nodes of a fleet are slow.
using Rule = std::function<std::set<std::string>(std::vector<FleetGroup>&)>;

std::set<std::string> ours(std::vector<FleetGroup>& groups) {
  compare_fleet(groups);
  std::set<std::string> nodes;
  for (const FleetGroup& g : groups)
    if (g.kind == FleetGroup::Kind::alike || g.kind == FleetGroup::Kind::wide)
      for (const Outlier& o : g.spread.outliers) nodes.insert(node(g, o.index));
  return nodes;
}

/// Rules that look at the plain figures of one group: below which figure a place is slow.
Rule below(const std::function<double(const std::vector<double>&)>& limit) {
  return [limit](std::vector<FleetGroup>& groups) {
    std::set<std::string> nodes;
    for (const FleetGroup& g : groups) {
      std::vector<double> v;
      for (const FleetPlace& p : g.places) v.push_back(p.figure);
      const double least = limit(v);
      for (std::size_t i = 0; i < v.size(); ++i)
        if (v[i] < least) nodes.insert(node(g, i));
    }
    return nodes;
  };
}

double mean(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}
double deviation(const std::vector<double>& v) {
  const double m = mean(v);
  double squares = 0;
  for (const double x : v) squares += (x - m) * (x - m);
  return std::sqrt(squares / static_cast<double>(v.size() - 1));
}
double middle(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

const std::vector<std::pair<std::string, Rule>>& rules() {
  static const std::vector<std::pair<std::string, Rule>> all{
      {"ours", ours},
      {"-5 % of mean", below([](const auto& v) { return 0.95 * mean(v); })},
      {"-10 % of best",
       below([](const auto& v) { return 0.9 * *std::max_element(v.begin(), v.end()); })},
      {"medoid 0.95", below([](const auto& v) { return 0.95 * middle(v); })},
      {"mean - 3 sd", below([](const auto& v) { return mean(v) - 3 * deviation(v); })}};
  return all;
}

struct Score {
  int blamed_healthy = 0;  // clusters in which a healthy node was blamed
  int found = 0, bad = 0;  // slow nodes
};

void row(const std::string& what, const Fleet& f, int clusters) {
  std::vector<Score> scores(rules().size());
  for (int c = 0; c < clusters; ++c) {
    Random random(static_cast<std::uint64_t>(c) * 7919 + 1);
    const std::vector<FleetGroup> groups = make(f, random);
    for (std::size_t r = 0; r < rules().size(); ++r) {
      std::vector<FleetGroup> own = groups;
      std::set<std::string> named = rules()[r].second(own);
      Score& s = scores[r];
      s.bad += f.bad;
      for (int n = 0; n < f.bad; ++n)
        s.found += static_cast<int>(named.erase(fmt::format("n{}", n)));
      s.blamed_healthy += !named.empty();
    }
  }
  fmt::print("| {} | {} | {}", what, f.nodes, clusters);
  for (const Score& s : scores) {
    fmt::print(" | {:.1f} %", 100.0 * s.blamed_healthy / clusters);
    if (f.bad > 0) fmt::print(", {:.1f} %", 100.0 * s.found / s.bad);
  }
  fmt::print(" |\n");
  std::fflush(stdout);
}

}  // namespace

void write_fleets(int clusters) {
  fmt::print(
      "## Equal places beside each other\n\n8 devices a node, 40 metrics, 30 samples each. In each "
      "cell: clusters in which a healthy node was blamed; then, where there are slow nodes, how "
      "many "
      "of them were named. Beside it the rules that others use, on the same figures.\n\n"
      "| cluster | nodes | clusters made");
  for (const auto& [name, rule] : rules()) fmt::print(" | {}", name);
  fmt::print(" |\n|---|---|---|---|---|---|---|---|\n");
  const auto fewer = [&](int nodes) { return std::max(2, clusters * 32 / std::max(32, nodes)); };
  for (const int n : {2, 4, 8, 32, 1024}) {
    for (const double spread : {0.002, 0.02})
      row(fmt::format("healthy, spread {:g} %, noise 1 %", spread * 100),
          {.nodes = n, .between = spread}, fewer(n));
    row("healthy, spread 1 %, noise 2 % t(4)", {.nodes = n, .within = 0.02, .heavy_noise = true},
        fewer(n));
    if (n >= 32)
      row("healthy, spread 1 %, racks 1 %, noise 1 %", {.nodes = n, .racks = 0.01}, fewer(n));
    row("healthy, spread 5 %", {.nodes = n, .between = 0.05}, fewer(n));
    row("healthy, spread 1 % t(3)", {.nodes = n, .heavy_between = true}, fewer(n));
  }
  for (const auto& [n, bad] : {std::pair{4, 1}, {8, 1}, {32, 1}, {1024, 5}}) {
    row(fmt::format("{} slow by 8 %, spread 1 %, noise 1 %", bad), {.nodes = n, .bad = bad},
        fewer(n));
    row(fmt::format("{} slow by 15 %, spread 2 %, noise 2 %", bad),
        {.nodes = n, .between = 0.02, .within = 0.02, .bad = bad, .slow = 0.15}, fewer(n));
  }
  for (const auto& [n, bad] : {std::pair{4, 1}, {8, 1}, {32, 1}})
    for (const double slow : {0.08, 0.15, 0.3})
      row(fmt::format("{} slow by {:g} %, one place a node, 10 metrics", bad, slow * 100),
          {.nodes = n, .gpus = 1, .metrics = 10, .bad = bad, .slow = slow}, clusters);
  fmt::print("\n");
}
