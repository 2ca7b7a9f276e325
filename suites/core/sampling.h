#pragma once
#include <span>
#include <vector>

namespace acceptance {

/// When a measurement has seen enough: the rule every body shares.
struct Sampling {
  double half_width =
      0.02;            ///< wanted half width of the median's 95 % interval, relative to the median
  int minimum = 8;     ///< samples taken in any case (six is the least that has an interval)
  double seconds = 2;  ///< no further sample is begun after this long, warm-up not counted
};

/// Warm-up is measured, not assumed: over when the last three repetitions lie within 2 % of each
/// other, or a quarter of the sampling time has gone by (never before one repetition).
bool warm(std::span<const double> repetitions, double elapsed_seconds, const Sampling& rule);

/// True when the samples suffice: the half width is reached, or the time is over; never before the
/// minimum unless ten times the sampling time has passed.
bool enough(std::span<const double> samples, double elapsed_seconds, const Sampling& rule);

}  // namespace acceptance
