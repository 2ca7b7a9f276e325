#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "suites/core/statistics.h"

namespace acceptance {

/// Looking at a 95 % interval again and again, and stopping once it says what is wanted, is wrong
/// far more often than in 5 %. These hold at every look: with a probability of 95 % the median is
/// in all of them, however many there are. From the number of values below a candidate, by the
/// mixture of Krichevsky and Trofimov (Howard and Ramdas, Bernoulli 28, 2022); no assumption about
/// the distribution.

/// Ranks (0-based, low and high) of such an interval; below seven values none exists.
std::optional<std::pair<std::size_t, std::size_t>> anytime_median_ranks(std::size_t count);
std::optional<Interval> anytime_median_interval(std::span<const double> values);

enum class Decision { above, below, open };
/// On which side of a limit the median is.
Decision decide(std::span<const double> values, double limit);

/// How many values, these among them, would probably decide; nothing where it would take more than
/// `most`.
std::optional<std::size_t> enough_to_decide(std::span<const double> values, double limit,
                                            std::size_t most);

}  // namespace acceptance
