#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

#include "suites/compute/freivalds.h"
#include "suites/compute/host_kernel.h"
#include "suites/core/state.h"
#include "suites/inventory/clock.h"
#include "suites/inventory/resources.h"
#include "suites/vendor/blas.h"

namespace acceptance {
namespace {

template <class Real>
std::vector<Real> uniform(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<Real> spread(-1, 1);
  std::vector<Real> values(count);
  std::generate(values.begin(), values.end(), [&] { return spread(random); });
  return values;
}

void multiply(int n, const double* a, const double* b, double* c) {
  blas().dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void multiply(int n, const float* a, const float* b, float* c) {
  blas().sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

template <class Real>
void measure(State& state, int threads) {
  const int n = static_cast<int>(state.number("order"));
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const double wanted = 3.0 * static_cast<double>(count) * sizeof(Real);
  if (const auto free = available_memory(); free && wanted > *free / 2)
    throw Skip(fmt::format("needs {}, {} are available", format(wanted, Unit::bytes),
                           format(*free, Unit::bytes)));
  const auto a = uniform<Real>(count, 1), b = uniform<Real>(count, 2);
  std::vector<Real> c(count);

  blas().set_threads(threads);
  HostKernel kernel{"cpu_gemm", {}, [&](int) { multiply(n, a.data(), b.data(), c.data()); }};
  // One thread is bound; with several, OpenBLAS spreads its own over the cores this process may
  // use.
  if (threads == 1) kernel.cpus = {state.node().cpu.usable.at(0)};

  state.phase("verifying the product");
  kernel.call(0);
  state.require(product_is_right<Real>(n, a, b, c),
                "wrong product (Freivalds' check) before timing");
  const long iterations = calibrate(kernel, 0.05);
  const double flop = 2.0 * n * n * n;
  state.sample([&] { return run(kernel, iterations); },
               [&](double seconds) {
                 return Figures{{"rate", flop / seconds}};
               });
  state.phase("verifying the last product");
  state.require(product_is_right<Real>(n, a, b, c),
                "wrong product (Freivalds' check) after timing");
}

void body(State& state) {
  const auto& cpus = state.node().cpu.usable;
  const int threads = state.word("threads") == "all" ? static_cast<int>(cpus.size()) : 1;
  const auto before = measure_clock();
  if (state.word("precision") == "fp64")
    measure<double>(state, threads);
  else
    measure<float>(state, threads);
  const auto after = measure_clock();
  state.observe("threads", static_cast<double>(threads), Unit::count);
  state.observe("openblas kernel", blas().core());
  if (before && after) state.observe("core clock", std::max(*before, *after), Unit::hertz);
}

const Register cpu_gemm{{
    .name = "compute.cpu_gemm",
    .version = 1,
    .about = "Matrix product of the host's cores with OpenBLAS; the product is verified before the "
             "figure counts.",
    .formula = "2 order^3 / time of one product",
    .scopes = {Scope::node},
    .needs = Need::none,
    .params = {{"precision", {"fp64", "fp32"}},
               {"threads", {"one", "all"}},
               {"order", Unit::count, {4096}, {1536}}},
    .metrics = {{"rate", Unit::flop_per_second, Better::higher,
                 "floating-point operations per second of one square product, operands uniform in "
                 "[-1, 1]"}},
    .sampling = {.half_width = 0.01, .minimum = 8, .seconds = 3},
    .twice = true,
    .body = body,
}};

}  // namespace
}  // namespace acceptance
