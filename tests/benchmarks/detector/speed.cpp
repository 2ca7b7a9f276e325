// How long judging a large run takes: 4,096 nodes × 40 metrics × 30 samples, and a million pairs.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <random>

#include "reports/verdict/collectives.h"
#include "reports/verdict/equal_places.h"
#include "reports/verdict/judge.h"
#include "tests/benchmarks/detector/detector.h"

namespace {

using namespace acceptance;
constexpr int nodes = 4096, metrics = 40, samples_each = 30,
              meetings = 488;  // 4,096 × 488 / 2 pairs

Measurement measurement(const Metric& m, double level, std::mt19937_64& random, int samples) {
  std::normal_distribution<double> normal;
  Samples s;
  for (int i = 0; i < samples; ++i) s.add(level * (1 + 0.01 * normal(random)));
  return {m.name, m.unit, std::move(s)};
}

RunFiles large_run() {
  std::mt19937_64 random(1);
  RunFiles files;
  Test alone, pair;
  alone.name = "compute.made_up", pair.name = "interconnect.made_up";
  alone.scopes = {Scope::node}, pair.scopes = {Scope::pair};
  for (int m = 0; m < metrics; ++m)
    alone.metrics.push_back({fmt::format("m{}", m), Unit::flop_per_second, Better::higher, ""});
  pair.metrics = {{"bandwidth", Unit::bytes_per_second, Better::higher, ""}};
  files.tests = {alone, pair};
  Cluster cluster;
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.name = fmt::format("n{:04}", n);
    node.boot_id = node.name;
    node.cpu.model = "made up";
    cluster.fabric.leaves[fmt::format("leaf{:03}", n / 16)].push_back(node.name);
    files.nodes.push_back(std::move(node));
  }
  index_nodes(cluster);
  files.promise.cluster = cluster;
  const auto add = [&](const Test& t, std::vector<std::string> places, int samples) {
    Record r;
    r.assignment.test = t.name;
    r.assignment.places = std::move(places);
    r.outcome = Outcome::ok;
    for (const Metric& m : t.metrics)
      r.measurements.push_back(measurement(m, 1e12, random, samples));
    files.plan.push_back(r.assignment);
    files.records.push_back(std::move(r));
  };
  for (const Node& n : files.nodes) add(alone, {n.name}, samples_each);
  for (int n = 0; n < nodes; ++n)
    for (int k = 1; k <= meetings / 2; ++k)
      add(pair,
          {files.nodes[static_cast<std::size_t>(n)].name,
           files.nodes[static_cast<std::size_t>((n + k) % nodes)].name},
          1);
  files.folder = "/nonexistent";
  files.run = {{"version", "0"},
               {"build", "b"},
               {"tag", "t"},
               {"cluster", "c"},
               {"simulated", true},
               {"launcher", "simulated"},
               {"arguments", Json::array()},
               {"tests", files.tests},
               {"sessions", {{{"started", "2026-01-31T09:30:00Z"}, {"seconds", 10.0}}}}};
  return files;
}

double peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

void write_speed() {
  const RunFiles files = large_run();
  const double before = peak_memory();
  std::vector<Finding> findings;
  std::vector<FleetGroup> fleet;
  std::vector<RunPairs> pairs;
  double all = 0;
  const auto timed = [&](const char* what, const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    all += s;
    fmt::print("{}: {:.1f} s, {:.2f} GB at most\n", what, s, peak_memory() / 1e9);
  };
  timed("findings", [&] { findings = judge(files); });
  timed("fleet", [&] { fleet = fleet_of(files); });
  timed("fleet findings", [&] { judge_fleet(files, fleet, findings); });
  timed("pairs", [&] { pairs = pairs_of(files); });
  timed("pair findings", [&] { judge_pairs(files, pairs, findings); });
  timed("collectives", [&] { collectives_of(files, findings); });
  fmt::print(
      "{} records ({} nodes x {} metrics x {} samples, and {} pairs): judged in {:.1f} s; {:.2f} "
      "GB for "
      "the records, {:.2f} GB at most; {} findings\n",
      files.records.size(), nodes, metrics, samples_each, nodes * meetings / 2, all, before / 1e9,
      peak_memory() / 1e9, findings.size());
}
