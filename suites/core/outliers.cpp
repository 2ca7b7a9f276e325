#include "suites/core/outliers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "suites/core/distributions.h"
#include "suites/core/statistics.h"

namespace acceptance {
namespace {

// Equal figures, as of a clock that knows few steps, still don't mean that there is no spread.
constexpr double least_spread = 1e-4;
constexpr double many_places = 256;

/// Mean and spread of places, from which single ones can be taken away.
class Moments {
 public:
  void add(double v, double sign = 1) {
    count_ += sign;
    sum_ += sign * v;
    squares_ += sign * v * v;
  }
  double count() const { return count_; }
  double mean() const { return sum_ / count_; }
  double variance() const {
    if (count_ < 2) return 0;
    return std::max(0.0, (squares_ - sum_ * sum_ / count_) / (count_ - 1));
  }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
};

/// That a healthy place lies `off` below the mean of `others`; `extra` is what its own noise has
/// in variance beyond theirs.
double chance_by_student(double off, const Moments& others, double extra) {
  if (others.count() < 2) return 1;
  const double variance = std::max(others.variance(), least_spread * least_spread);
  const double scale = std::sqrt(variance * (1 + 1 / others.count()) + extra);
  return student_above(off / scale, others.count() - 1);
}

double chance_by_prior(double off, const Moments& others, double extra) {
  const double variance =
      std::max(others.variance(), widest_healthy_spread * widest_healthy_spread);
  return normal_above(off / std::sqrt(variance * (1 + 1 / others.count()) + extra));
}

/// Two tests beside each other, unless there are so many places that t alone tells all.
double chance(double off, const Moments& others, double extra) {
  if (others.count() >= many_places) return chance_by_student(off, others, extra);
  return std::min(1.0, 2 * std::min(chance_by_student(off, others, extra),
                                    chance_by_prior(off, others, extra)));
}

}  // namespace

Spread compare_places(std::span<const PlaceValue> values, double level) {
  Spread spread;
  const std::size_t n = values.size();
  if (n == 0) return spread;
  std::vector<double> plain, squared_errors;
  plain.reserve(n), squared_errors.reserve(n);
  for (const PlaceValue& v : values) {
    plain.push_back(v.value);
    squared_errors.push_back(v.error * v.error);
  }
  const double usual_error = median(squared_errors), middle = median(plain);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return plain[a] < plain[b]; });
  // Differences from the middle, so that squares of large numbers don't cancel.
  const auto shifted = [&](std::size_t i) { return plain[i] - middle; };
  const auto extra = [&](std::size_t i) { return std::max(0.0, squared_errors[i] - usual_error); };

  Moments others;
  for (std::size_t i = 0; i < n; ++i) others.add(shifted(i));
  Moments kept = others;
  // Student's tails are heavier than normal ones: nearer than this nothing is an outlier.
  const double nearest = normal_exceeded_by(std::clamp(level, 1e-300, 0.5));
  std::size_t outliers = 0;
  for (std::size_t k = 0; k < n / 2; ++k) {
    const std::size_t i = order[k];
    others.add(shifted(i), -1);
    const double off = others.mean() - shifted(i);
    if (off < nearest * std::sqrt(others.variance()) || chance(off, others, extra(i)) >= level)
      continue;
    outliers = k + 1;
    kept = others;
  }

  std::vector<double> healthy;
  healthy.reserve(n - outliers);
  double noise = 0;
  for (std::size_t k = outliers; k < n; ++k) {
    healthy.push_back(plain[order[k]]);
    noise += squared_errors[order[k]] / static_cast<double>(n - outliers);
  }
  spread.centre = median(healthy);
  spread.noise = std::sqrt(noise);
  spread.between = std::sqrt(std::max(0.0, kept.variance() - noise));
  for (std::size_t k = 0; k < outliers; ++k) {
    const std::size_t i = order[k];
    const double off = kept.mean() - shifted(i);
    spread.outliers.push_back({i, spread.centre - plain[i], chance(off, kept, extra(i))});
  }
  return spread;
}

}  // namespace acceptance
