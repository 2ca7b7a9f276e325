// What the head has to do often enough that its cost matters on large clusters.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "reports/cluster/cluster_file.h"
#include "reports/reference/expect.h"
#include "runner/plan/next.h"
#include "runner/plan/plan.h"
#include "runner/plan/rounds.h"
#include "suites/core/json.h"
#include "suites/core/statistics.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

void samples_add(benchmark::State& state) {
  double x = 1;
  Samples s;
  for (auto _ : state) s.add(x *= 1.0001);
}
BENCHMARK(samples_add)->Iterations(100000);

void median_interval_of_64(benchmark::State& state) {
  std::vector<double> v(64);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i * 7919 % 64);
  for (auto _ : state) benchmark::DoNotOptimize(median_interval(v));
}
BENCHMARK(median_interval_of_64);

void record_to_text_and_back(benchmark::State& state) {
  Record r = record_of(assignment_of("s.a", {"n1", "n2"}, {{"message", 8.0}}), Outcome::ok);
  r.measurements = {{"m", Unit::seconds, Samples(std::vector<double>(64, 1.5))}};
  for (auto _ : state) benchmark::DoNotOptimize(Json::parse(dump(Json(r))).get<Record>());
}
BENCHMARK(record_to_text_and_back);

void dispatch_all_pairs(benchmark::State& state) {
  Launch l{LaunchKind::world, {}, {}};
  for (int i = 0; i < state.range(0); ++i) l.places.push_back("n" + std::to_string(i));
  for (const auto& round : pair_rounds(l.places.size()))
    for (const auto& [a, b] : round)
      l.work.push_back(assignment_of("pair", {l.places[a], l.places[b]}));
  for (auto _ : state) {
    Dispatch d(l);
    while (!d.done())
      for (const auto& s : d.ready()) d.finished(s.index);
  }
  state.counters["pairs"] = static_cast<double>(l.work.size());
}
BENCHMARK(dispatch_all_pairs)->Arg(16)->Arg(128)->Unit(benchmark::kMillisecond);

/// A line of cluster.yaml each for group, nodes, server and memory, four nodes a group.
std::string promise_of_groups(int groups) {
  std::string text =
      "format: accept.cluster/1\nname: big\nfabric: {name: infiniband-ndr}\ngroups:\n";
  for (int i = 0; i < groups; ++i)
    text += fmt::format("  g{}:\n    nodes: n[{}-{}]\n    server: DGX-H200\n    memory: 2 TB\n", i,
                        4 * i, 4 * i + 3);
  return text;
}

void cluster_file_of_10000_lines(benchmark::State& state) {
  const std::string text = promise_of_groups(2500);
  for (auto _ : state)
    benchmark::DoNotOptimize(parse_cluster(text, "cluster.yaml", builtin_catalogue()));
}
BENCHMARK(cluster_file_of_10000_lines)->Unit(benchmark::kMillisecond);

/// What judging asks for: four figures of every GPU server, two of 16,384 pairs, collectives of
/// all.
void references_for_4096_nodes(benchmark::State& state) {
  const Cluster c =
      parse_cluster(promise_of_groups(static_cast<int>(state.range(0))), "c", builtin_catalogue());
  const std::vector<std::string> names = node_names(c);
  const auto ask = [&](const char* test, const char* metric, const Point& point,
                       const std::vector<std::string>& nodes) {
    benchmark::DoNotOptimize(
        promised_reference(c, builtin_catalogue(), test, metric, point, nodes));
  };
  for (auto _ : state) {
    for (const std::string& n : names) {
      for (const char* precision : {"bf16", "fp8"})
        ask("compute.gpu_gemm", "rate", {{"precision", precision}}, {n});
      for (const double message : {1_GiB, 8_GiB})
        ask("interconnect.nccl_all_reduce", "busbw", {{"message", message}}, {n});
    }
    for (const Round& round : planned_rounds(std::vector<std::string>(names.size())))
      for (const auto& [a, b] : round) {
        ask("interconnect.rdma_write_latency", "latency", {{"message", 8.0}}, {names[a], names[b]});
        ask("interconnect.rdma_write_bandwidth", "bandwidth",
            {{"message", 8_MiB}, {"memory", "host"}, {"direction", "one"}}, {names[a], names[b]});
      }
    for (int i = 0; i < 100; ++i)
      ask("interconnect.nccl_all_reduce", "busbw", {{"message", 8_GiB}}, names);
  }
  state.counters["nodes"] = static_cast<double>(names.size());
}
BENCHMARK(references_for_4096_nodes)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acceptance

BENCHMARK_MAIN();
