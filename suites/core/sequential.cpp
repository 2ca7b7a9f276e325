#include "suites/core/sequential.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace acceptance {
namespace {

constexpr double level = 0.05;

/// How often one loses who bets against a fair coin and sees k of n heads, as a logarithm: the
/// capital of a bettor who mixes all coins by Jeffreys' prior.
double evidence(std::size_t k, std::size_t n) {
  const auto heads = static_cast<double>(k), all = static_cast<double>(n);
  return std::lgamma(heads + 0.5) + std::lgamma(all - heads + 0.5) - std::lgamma(all + 1) -
         std::log(std::numbers::pi) + all * std::numbers::ln2;
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> anytime_median_ranks(std::size_t count) {
  std::size_t dropped = 0;
  while (2 * dropped < count && evidence(dropped, count) >= -std::log(level)) ++dropped;
  if (dropped == 0) return std::nullopt;
  return std::pair{dropped - 1, count - dropped};
}

std::optional<Interval> anytime_median_interval(std::span<const double> values) {
  const auto ranks = anytime_median_ranks(values.size());
  if (!ranks) return std::nullopt;
  std::vector<double> v(values.begin(), values.end());
  std::sort(v.begin(), v.end());
  return Interval{v[ranks->first], v[ranks->second]};
}

Decision decide(std::span<const double> values, double limit) {
  const auto interval = anytime_median_interval(values);
  if (!interval) return Decision::open;
  return interval->low > limit    ? Decision::above
         : interval->high < limit ? Decision::below
                                  : Decision::open;
}

std::optional<std::size_t> enough_to_decide(std::span<const double> values, double limit,
                                            std::size_t most) {
  const auto below =
      std::count_if(values.begin(), values.end(), [&](const double v) { return v <= limit; });
  const double seen = static_cast<double>(values.size());
  const double fewer = std::min(static_cast<double>(below), seen - static_cast<double>(below));
  const double share = (fewer + 0.5) / (seen + 1);
  for (std::size_t n = std::max<std::size_t>(values.size(), 1); n <= most; ++n)
    if (const auto ranks = anytime_median_ranks(n);
        ranks && share * static_cast<double>(n) <= static_cast<double>(ranks->first))
      return n;
  return std::nullopt;
}

}  // namespace acceptance
