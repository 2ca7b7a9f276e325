#pragma once
#include <functional>
#include <string>
#include <vector>

namespace acceptance {

/// A piece of work on the host's cores, run by Google Benchmark: the one place that knows it.
struct HostKernel {
  std::string name;
  std::vector<int> cpus;  ///< one thread is bound to each; empty = the calling thread, unbound
  std::function<void(int thread)> call;  ///< one iteration of thread 0, 1, …
};

/// Runs one repetition of a fixed number of iterations, all threads starting together.
/// Seconds per iteration from the common start to the end of the slowest thread.
/// Throws what the kernel throws.
double run(const HostKernel& kernel, long iterations);

/// Iterations after which a repetition lasts at least `seconds`, found by trying; at least 1.
long calibrate(const HostKernel& kernel, double seconds);

}  // namespace acceptance
