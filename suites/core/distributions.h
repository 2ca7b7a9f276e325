#pragma once
#include <cstdint>

namespace acceptance {

/// Regularized incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1], by its continued
/// fraction (DLMF 8.17.22). Throws std::invalid_argument outside.
double incomplete_beta(double a, double b, double x);

/// Probability that a standard normal variable exceeds z.
double normal_above(double z);
/// Probability that Student's t with `freedom` degrees of freedom exceeds t.
double student_above(double t, double freedom);
/// The value that a standard normal variable, or Student's t, exceeds with probability p in (0, 1).
/// Throws std::invalid_argument outside.
double normal_exceeded_by(double p);
double student_exceeded_by(double p, double freedom);

/// Probability of `least` or more successes in `tries`, each with probability p.
double binomial_at_least(std::uint64_t least, std::uint64_t tries, double p);
/// Probability that of `drawn` out of `all` items, `marked` of them marked, at least `least` are
/// marked: the one-sided exact test of Fisher.
double hypergeometric_at_least(std::uint64_t least, std::uint64_t all, std::uint64_t marked,
                               std::uint64_t drawn);

}  // namespace acceptance
