#include "suites/core/statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace acceptance {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("statistics of no values");
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

}  // namespace

double median(std::span<const double> values) { return quantile(values, 0.5); }

double quantile(std::span<const double> values, double q) {
  if (values.empty()) throw std::invalid_argument("statistics of no values");
  std::vector<double> v(values.begin(), values.end());
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(v.size() - 1);
  const auto below = v.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(v.begin(), below, v.end());
  const double next = below + 1 == v.end() ? *below : *std::min_element(below + 1, v.end());
  return *below + (at - std::floor(at)) * (next - *below);
}

std::optional<std::pair<std::size_t, std::size_t>> median_interval_ranks(std::size_t count) {
  // P(fewer than k values lie below the median) is binomial(n, 1/2); drop the largest k with 2P <=
  // 5 %.
  const auto n = static_cast<double>(count);
  double tail = 0;
  std::size_t dropped = 0;
  for (std::size_t k = 0; k < count / 2; ++k) {
    const auto kd = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(kd + 1) - std::lgamma(n - kd + 1) -
                     n * std::log(2.0));
    if (2 * tail > 0.05) break;
    dropped = k + 1;
  }
  if (dropped == 0) return std::nullopt;
  return std::pair{dropped - 1, count - dropped};
}

std::optional<Interval> median_interval(std::span<const double> values) {
  const auto ranks = median_interval_ranks(values.size());
  if (!ranks) return std::nullopt;
  const std::vector<double> v = sorted(values);
  return Interval{v[ranks->first], v[ranks->second]};
}

std::optional<double> relative_half_width(std::span<const double> values) {
  const auto interval = median_interval(values);
  if (!interval) return std::nullopt;
  const double middle = median(values);
  if (middle == 0) return std::nullopt;
  return (interval->high - interval->low) / 2 / std::abs(middle);
}

}  // namespace acceptance
