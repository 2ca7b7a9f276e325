#pragma once
#include <optional>
#include <span>
#include <vector>

namespace acceptance {

/// A two-sided confidence interval.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Middle of the sorted values, mean of the two middle ones for an even count. Throws
/// std::invalid_argument when empty.
double median(std::span<const double> values);

/// Value at fraction q in [0, 1] by linear interpolation of the order statistics (R's type 7).
double quantile(std::span<const double> values, double q);

/// Ranks (0-based, low and high) whose order statistics enclose the median with at least 95 %;
/// exact binomial, no assumption about the distribution. Fewer than six values: none exists.
std::optional<std::pair<std::size_t, std::size_t>> median_interval_ranks(std::size_t count);

/// 95 % interval of the median from median_interval_ranks; nothing below six values.
std::optional<Interval> median_interval(std::span<const double> values);

/// Half the width of the median's 95 % interval over the median; nothing below six values or at a
/// median of 0.
std::optional<double> relative_half_width(std::span<const double> values);

}  // namespace acceptance
