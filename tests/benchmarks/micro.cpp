// What the head has to do often enough that its cost matters on large clusters.
#include <benchmark/benchmark.h>

#include "runner/plan/next.h"
#include "runner/plan/plan.h"
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

}  // namespace
}  // namespace acceptance

BENCHMARK_MAIN();
