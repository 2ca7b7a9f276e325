#include "suites/core/samples.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace acceptance {
namespace {

// Bins are 0.1 % wide in the magnitude; the offset keeps keys of positive values above 0 and those
// of negative values below 0, down to 1e-300.
const double bin_width = std::log(1.001);
constexpr std::int32_t bin_offset = 1'000'000;

std::int32_t bin_of(double value) {
  if (value == 0) return 0;
  const auto steps = static_cast<std::int32_t>(std::floor(std::log(std::abs(value)) / bin_width));
  return value > 0 ? bin_offset + steps : -(bin_offset + steps);
}

double middle_of(std::int32_t bin) {
  if (bin == 0) return 0;
  const double magnitude = std::exp((std::abs(bin) - bin_offset + 0.5) * bin_width);
  return bin > 0 ? magnitude : -magnitude;
}

}  // namespace

Samples::Samples(std::span<const double> values) {
  for (double v : values) add(v);
}

void Samples::add(double value) {
  if (!std::isfinite(value)) throw std::invalid_argument("a sample is not a finite number");
  min_ = count_ ? std::min(min_, value) : value;
  max_ = count_ ? std::max(max_, value) : value;
  ++count_;
  const double before = value - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (value - mean_);
  if (bins_.empty() && raw_.size() < raw_limit) {
    raw_.push_back(value);
    return;
  }
  for (double v : raw_) ++bins_[bin_of(v)];
  raw_.clear();
  ++bins_[bin_of(value)];
}

double Samples::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

double Samples::at_rank(double rank) const {
  std::uint64_t seen = 0;
  for (const auto& [bin, n] : bins_) {
    seen += n;
    if (static_cast<double>(seen) > rank) return std::clamp(middle_of(bin), min_, max_);
  }
  return max_;
}

double Samples::quantile(double q) const {
  if (count_ == 0) throw std::invalid_argument("quantile of no samples");
  if (bins_.empty()) return acceptance::quantile(raw_, q);
  if (q <= 0) return min_;
  if (q >= 1) return max_;
  return at_rank(std::round(q * static_cast<double>(count_ - 1)));
}

std::optional<Interval> Samples::interval() const {
  if (bins_.empty()) return median_interval(raw_);
  // For more than 64 values the normal approximation of the binomial is exact enough (rank n/2 +-
  // 0.98 sqrt n).
  const auto n = static_cast<double>(count_);
  const double spread = 0.98 * std::sqrt(n);
  return Interval{at_rank(std::floor(n / 2 - spread)), at_rank(std::ceil(n / 2 + spread))};
}

Samples Samples::restore(std::vector<double> raw, std::map<std::int32_t, std::uint64_t> bins,
                         double min, double max, double mean, double deviation) {
  if (!raw.empty() && !bins.empty())
    throw std::invalid_argument("samples have both raw values and bins");
  if (bins.empty()) return Samples(raw);
  Samples s;
  for (const auto& [bin, n] : bins) s.count_ += n;
  if (!(min <= max) || !std::isfinite(mean) || !std::isfinite(deviation) || deviation < 0)
    throw std::invalid_argument("samples have impossible extremes, mean or deviation");
  s.bins_ = std::move(bins);
  s.min_ = min;
  s.max_ = max;
  s.mean_ = mean;
  s.squares_ = deviation * deviation * static_cast<double>(s.count_ - 1);
  return s;
}

}  // namespace acceptance
