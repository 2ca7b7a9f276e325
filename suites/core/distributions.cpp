#include "suites/core/distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace acceptance {
namespace {

/// The fraction of DLMF 8.17.22 by Lentz's method; converges quickly for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = std::numeric_limits<double>::min() * 1e10;
  constexpr int most_steps = 100000;
  const auto not_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m <= most_steps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d);
    c = not_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d);
    c = not_zero(1 + odd / c);
    const double step = d * c;
    value *= step;
    if (std::abs(step - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

/// log Γ without the global sign that std::lgamma writes.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

/// What Stirling's formula for log Γ(x) leaves out (DLMF 5.11.1).
double stirling_rest(double x) {
  if (x < 15)
    return log_gamma(x) - (x - 0.5) * std::log(x) + x - std::log(2 * std::numbers::pi) / 2;
  const double y = 1 / (x * x);
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
}

/// x^a (1 − x)^b / B(a, b), with rest = 1 − x. Large a and b would cancel in log Γ: so by their
/// distance from the mode, and Stirling's formula.
double beta_front(double a, double b, double x, double rest) {
  const double all = a + b, off = x < rest ? all * x - a : b - all * rest;
  const auto log_of_ratio = [](double off_by, double of, double plain) {
    return std::abs(off_by) < of / 2 ? std::log1p(off_by / of) : std::log(plain);
  };
  const double log_front = a * log_of_ratio(off, a, all * x / a) +
                           b * log_of_ratio(-off, b, all * rest / b) +
                           std::log(a / all * b / (2 * std::numbers::pi)) / 2 + stirling_rest(all) -
                           stirling_rest(a) - stirling_rest(b);
  return std::exp(log_front);
}

double bisect(double p, double low, double high, auto&& above) {
  for (int i = 0; i < 2000 && std::nextafter(low, high) < high; ++i) {
    const double middle = low + (high - low) / 2;
    (above(middle) > p ? low : high) = middle;
  }
  return high;
}

double log_choose(std::uint64_t n, std::uint64_t k) {
  const auto f = [](std::uint64_t v) { return log_gamma(static_cast<double>(v) + 1); };
  return f(n) - f(k) - f(n - k);
}

void must_be_a_probability(double p) {
  if (!(p > 0 && p < 1)) throw std::invalid_argument(fmt::format("{} is no probability", p));
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1))
    throw std::invalid_argument(fmt::format("no incomplete beta of {}, {}, {}", a, b, x));
  if (x == 0 || x == 1) return x;
  const double front = beta_front(a, b, x, 1 - x);
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double normal_above(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

double student_above(double t, double freedom) {
  if (t < 0) return 1 - student_above(-t, freedom);
  // Either x or 1 − x may be tiny: both exactly, not by a difference.
  const double whole = freedom + t * t, x = freedom / whole, rest = t * t / whole;
  const double a = freedom / 2, b = 0.5;
  if (rest == 0) return 0.5;
  const double front = beta_front(a, b, x, rest);
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a / 2;
  return (1 - front * beta_fraction(b, a, rest) / b) / 2;
}

double normal_exceeded_by(double p) {
  must_be_a_probability(p);
  if (p > 0.5) return -normal_exceeded_by(1 - p);
  return bisect(p, 0, 40, normal_above);
}

double student_exceeded_by(double p, double freedom) {
  must_be_a_probability(p);
  if (p > 0.5) return -student_exceeded_by(1 - p, freedom);
  double high = 1;
  while (student_above(high, freedom) > p && high < 1e150) high *= 2;
  return bisect(p, 0, high, [&](double t) { return student_above(t, freedom); });
}

double binomial_at_least(std::uint64_t least, std::uint64_t tries, double p) {
  if (least == 0) return 1;
  if (least > tries || p <= 0) return 0;
  if (p >= 1) return 1;
  return incomplete_beta(static_cast<double>(least), static_cast<double>(tries - least) + 1, p);
}

double hypergeometric_at_least(std::uint64_t least, std::uint64_t all, std::uint64_t marked,
                               std::uint64_t drawn) {
  if (marked > all || drawn > all)
    throw std::invalid_argument("more items marked or drawn than there are");
  double sum = 0;
  const std::uint64_t unmarked = all - marked;
  for (std::uint64_t k = std::max(least, drawn > unmarked ? drawn - unmarked : 0);
       k <= std::min(marked, drawn); ++k)
    sum +=
        std::exp(log_choose(marked, k) + log_choose(unmarked, drawn - k) - log_choose(all, drawn));
  return std::min(1.0, sum);
}

}  // namespace acceptance
