#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "suites/core/statistics.h"

namespace acceptance {

/// The values one metric took: every value up to 64; beyond that a histogram of 0.1 % wide
/// logarithmic bins with exact count and extremes, so that a million values fit in a record.
class Samples {
 public:
  static constexpr std::size_t raw_limit = 64;

  Samples() = default;
  explicit Samples(std::span<const double> values);

  /// Throws std::invalid_argument when the value is not finite.
  void add(double value);

  std::uint64_t count() const { return count_; }
  double min() const { return min_; }
  double max() const { return max_; }
  double mean() const { return mean_; }
  /// Sample standard deviation (n - 1); 0 below two values.
  double deviation() const;
  /// Value at fraction q; from the histogram it is within 0.05 %. Throws std::invalid_argument when
  /// empty.
  double quantile(double q) const;
  double median() const { return quantile(0.5); }
  /// 95 % interval of the median; nothing below six values.
  std::optional<Interval> interval() const;

  const std::vector<double>& raw() const { return raw_; }
  const std::map<std::int32_t, std::uint64_t>& bins() const { return bins_; }

  /// From a record. Throws std::invalid_argument when the parts contradict each other.
  static Samples restore(std::vector<double> raw, std::map<std::int32_t, std::uint64_t> bins,
                         double min, double max, double mean, double deviation);

 private:
  double at_rank(double rank) const;

  std::uint64_t count_ = 0;
  double min_ = 0, max_ = 0, mean_ = 0;
  double squares_ = 0;  // sum of squared deviations from the mean (Welford)
  std::vector<double> raw_;
  std::map<std::int32_t, std::uint64_t> bins_;
};

}  // namespace acceptance
