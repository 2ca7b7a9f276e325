#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "suites/compute/freivalds.h"
#include "suites/compute/host_kernel.h"
#include "suites/core/state.h"
#include "suites/inventory/clock.h"
#include "suites/inventory/resources.h"
#include "suites/vendor/blas.h"

namespace acceptance {
namespace {

/// Uniform in [-1, 1), the same for the same seed and index (SplitMix64).
double uniform(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95 + index * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

void multiply(int n, const double* a, const double* b, double* c) {
  blas().dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void multiply(int n, const float* a, const float* b, float* c) {
  blas().sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

template <class Real>
void measure(State& state, const std::vector<int>& cpus) {
  const int threads = static_cast<int>(cpus.size());
  // Every core gets as much work as one alone.
  const int n =
      static_cast<int>(std::lround(state.number("base_order") * std::cbrt(threads) / 64)) * 64;
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const double wanted = 3.0 * static_cast<double>(count) * sizeof(Real);
  if (const auto free = available_memory(); free && wanted > *free / 2)
    throw Skip(fmt::format("needs {}, {} are available", format(wanted, Unit::bytes),
                           format(*free, Unit::bytes)));
  const auto a = std::make_unique_for_overwrite<Real[]>(count),
             b = std::make_unique_for_overwrite<Real[]>(count),
             c = std::make_unique_for_overwrite<Real[]>(count);
  // Filled by all cores, so that the matrices lie in the memory of all sockets.
  run({"fill", cpus,
       [&](int t) {
         const std::size_t begin = count * static_cast<std::size_t>(t) / cpus.size();
         const std::size_t end = count * (static_cast<std::size_t>(t) + 1) / cpus.size();
         for (std::size_t i = begin; i < end; ++i) {
           a[i] = static_cast<Real>(uniform(1, i));
           b[i] = static_cast<Real>(uniform(2, i));
           c[i] = 0;
         }
       }},
      1);
  blas().set_threads(threads);
  const int working = blas().get_threads();
  HostKernel kernel{"cpu_gemm", {}, [&](int) { multiply(n, a.get(), b.get(), c.get()); }};
  // One thread is bound; with several, OpenBLAS spreads its own over the cores this process may
  // use.
  if (threads == 1) kernel.cpus = cpus;
  const auto right = [&] {
    return product_is_right<Real>(n, {a.get(), count}, {b.get(), count}, {c.get(), count});
  };
  state.phase("verifying the product");
  kernel.call(0);
  state.require(right(), "wrong product (Freivalds' check) before timing");
  const long iterations = calibrate(kernel, 0.05);
  // The right product of before must not pass for that of the timed calls.
  std::fill_n(c.get(), count, std::numeric_limits<Real>::quiet_NaN());
  const double flop = 2.0 * n * n * n;
  state.sample([&] { return run(kernel, iterations); },
               [&](double seconds) {
                 return Figures{{"rate", flop / seconds}};
               });
  state.phase("verifying the last product");
  state.require(right(), "wrong product (Freivalds' check) after timing");
  state.observe("order", static_cast<double>(n), Unit::count);
  state.observe("threads", static_cast<double>(working), Unit::count);
  if (working < threads)
    state.observe("cores left idle", fmt::format("{}: this OpenBLAS is built for {} threads",
                                                 threads - working, working));
}

/// The clock of the first core, measured on it.
std::optional<double> clock_of(const std::vector<int>& cpus) {
  const BoundToCpu bound(cpus.front());
  return measure_clock();
}

void body(State& state) {
  std::vector<int> cpus = state.node().cpu.usable;
  if (cpus.empty()) throw Skip("no core is known that this process may use");
  if (state.word("threads") == "one") cpus.resize(1);
  const auto before = clock_of(cpus);
  if (state.word("precision") == "fp64")
    measure<double>(state, cpus);
  else
    measure<float>(state, cpus);
  const auto after = clock_of(cpus);
  state.observe("openblas kernel", blas().core());
  if (before && after) state.observe("core clock", std::max(*before, *after), Unit::hertz);
}

const Register cpu_gemm{{
    .name = "compute.cpu_gemm",
    .version = 1,
    .about = "Matrix product of the host's cores with OpenBLAS; the product is verified before the "
             "figure counts.",
    .formula = "2 n^3 / time of one product; n = base order × cube root of the number of threads, "
               "rounded to 64",
    .scopes = {Scope::node},
    .needs = Need::none,
    .params = {{"precision", {"fp64", "fp32"}},
               {"threads", {"one", "all"}},
               {"base_order", Unit::count, {4096}, {1536}}},
    .metrics = {{"rate", Unit::flop_per_second, Better::higher,
                 "floating-point operations per second of one square product, operands uniform in "
                 "[-1, 1]"}},
    .sampling = {.half_width = 0.01, .minimum = 8, .seconds = 3},
    .twice = true,
    .body = body,
}};

}  // namespace
}  // namespace acceptance
