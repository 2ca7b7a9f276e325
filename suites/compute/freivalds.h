#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace acceptance {

/// Freivalds' check of C = A B for row-major n × n matrices of zero-mean random operands: C x = A
/// (B x) in double precision for three random vectors x of ±1, O(n²). A row may be off by 8 eps
/// n^(3/2) rms(A) rms(B), five times what rounding was seen to give; at n = 2000 that is 0.03 in
/// single precision, 5e-11 in double, where the elements have an rms of 15. NaN and infinity are
/// wrong.
template <class Real>
bool product_is_right(int order, std::span<const Real> a, std::span<const Real> b,
                      std::span<const Real> c) {
  const auto n = static_cast<std::size_t>(order);
  const auto rms = [](std::span<const Real> m) {
    double squares = 0;
    for (const Real v : m) squares += static_cast<double>(v) * static_cast<double>(v);
    return std::sqrt(squares / static_cast<double>(m.size()));
  };
  const auto dot = [n](const Real* row, const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += static_cast<double>(row[j]) * x[j];
    return sum;
  };
  const double tolerance =
      8.0 * std::numeric_limits<Real>::epsilon() * std::pow(order, 1.5) * rms(a) * rms(b);
  std::uint64_t random = 0x9e3779b97f4a7c15;
  for (int round = 0; round < 3; ++round) {
    std::vector<double> x(n), bx(n);
    for (double& v : x) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      v = random >> 63 ? 1 : -1;
    }
    for (std::size_t i = 0; i < n; ++i) bx[i] = dot(&b[i * n], x);
    for (std::size_t i = 0; i < n; ++i)
      if (!(std::abs(dot(&c[i * n], x) - dot(&a[i * n], bx)) <= tolerance)) return false;
  }
  return true;
}

}  // namespace acceptance
