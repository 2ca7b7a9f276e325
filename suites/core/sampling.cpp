#include "suites/core/sampling.h"

#include <algorithm>

#include "suites/core/statistics.h"

namespace acceptance {

bool warm(std::span<const double> repetitions, double elapsed_seconds, const Sampling& rule) {
  constexpr std::size_t agreeing = 3;
  constexpr double agreement = 0.02;
  if (repetitions.empty()) return false;
  if (elapsed_seconds >= rule.seconds / 4) return true;
  if (repetitions.size() < agreeing) return false;
  const auto last = repetitions.last(agreeing);
  const auto [low, high] = std::minmax_element(last.begin(), last.end());
  return *high - *low <= agreement * *high;
}

bool enough(std::span<const double> samples, double elapsed_seconds, const Sampling& rule) {
  if (elapsed_seconds >= 10 * rule.seconds && !samples.empty()) return true;
  if (samples.size() < static_cast<std::size_t>(std::max(rule.minimum, 1))) return false;
  if (elapsed_seconds >= rule.seconds) return true;
  const auto width = relative_half_width(samples);
  return width && *width <= rule.half_width;
}

}  // namespace acceptance
