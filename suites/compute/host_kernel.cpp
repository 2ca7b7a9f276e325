#include "suites/compute/host_kernel.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "suites/inventory/resources.h"

namespace acceptance {
namespace {

using Clock = std::chrono::steady_clock;

/// Google Benchmark reports per-thread means; a cluster waits for the slowest thread, so the spans
/// are kept apart.
struct Span {
  Clock::time_point begin, end;
};

class Silent final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& r : runs)
      if (r.error_occurred) error = r.error_message;
  }
  std::string error;
};

}  // namespace

double run(const HostKernel& kernel, long iterations) {
  const int threads = std::max<int>(1, static_cast<int>(kernel.cpus.size()));
  std::vector<Span> spans(static_cast<std::size_t>(threads));
  std::exception_ptr thrown;
  std::mutex mutex;

  const auto body = [&](benchmark::State& state) {
    const auto t = static_cast<std::size_t>(state.thread_index());
    std::unique_ptr<BoundToCpu> bound;
    if (!kernel.cpus.empty()) bound = std::make_unique<BoundToCpu>(kernel.cpus[t]);
    Span span;
    bool running = false, broken = false;
    for (auto _ : state) {
      if (!running) span.begin = Clock::now();
      running = true;
      if (broken) continue;
      try {
        kernel.call(static_cast<int>(t));
      } catch (...) {
        const std::lock_guard lock(mutex);
        thrown = std::current_exception();
        broken = true;
      }
      span.end = Clock::now();
    }
    spans[t] = span;
  };

  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(kernel.name.c_str(), body)
      ->Iterations(static_cast<benchmark::IterationCount>(iterations))
      ->Threads(threads)
      ->UseRealTime();
  Silent reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, ".*");
  benchmark::ClearRegisteredBenchmarks();
  if (thrown) std::rethrow_exception(thrown);
  if (!reporter.error.empty()) throw std::runtime_error(reporter.error);

  const auto earlier = [](const Span& a, const Span& b) { return a.begin < b.begin; };
  const auto later = [](const Span& a, const Span& b) { return a.end < b.end; };
  const auto begin = std::min_element(spans.begin(), spans.end(), earlier)->begin;
  const auto end = std::max_element(spans.begin(), spans.end(), later)->end;
  return std::chrono::duration<double>(end - begin).count() / static_cast<double>(iterations);
}

long calibrate(const HostKernel& kernel, double seconds) {
  run(kernel, 1);  // touches code and data for the first time; its duration says nothing
  const double one = run(kernel, 1);
  if (!(one > 0)) return 1000;
  return std::clamp(std::lround(std::ceil(seconds / one)), 1L, 1'000'000L);
}

}  // namespace acceptance
