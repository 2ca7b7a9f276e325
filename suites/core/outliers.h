#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace acceptance {

/// What one of several equal places reached, as a share of what is usual among them, on a scale
/// where more is better; and the standard error of it, from what was measured there alone.
struct PlaceValue {
  double value = 0;
  double error = 0;
};

struct Outlier {
  std::size_t index = 0;  ///< into the values
  double off = 0;         ///< below the centre
  double chance = 1;      ///< that one healthy place would be so far off
};

/// Equal places beside each other.
struct Spread {
  double centre = 0;              ///< median of those that are no outliers
  double between = 0;             ///< standard deviation from place to place, noise taken out
  double noise = 0;               ///< root mean square of the places' own errors
  std::vector<Outlier> outliers;  ///< too low, the worst first
};

/// Healthy equal places are taken to spread by no more than this, whatever a handful of them shows.
/// Healthy GPUs of one model and cluster were seen to spread by 1 to 5 %.
inline constexpr double widest_healthy_spread = 0.05;

/// Places that are too low to be like the others: Rosner's generalized extreme studentized deviate,
/// one-sided, each test against Student's t of the deleted residual; below 256 places,
/// as of few t says next to nothing, also against a normal distribution of widest_healthy_spread. A
/// healthy place is an outlier with a probability of at most `level`. Up to half of the places can
/// be outliers. Fewer than two values: none is.
Spread compare_places(std::span<const PlaceValue> values, double level);

}  // namespace acceptance
