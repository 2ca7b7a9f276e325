#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reports/run_files.h"

namespace acceptance {

enum class Move { regressed, improved, unchanged, cant_tell };
std::string_view name(Move move);

/// How the figure of one place, or of all places of a kind, changed from one run to another.
struct Change {
  std::vector<std::string> where;  ///< of one measurement, or the node all of whose pairs are meant
  double before = 0, after = 0;    ///< geometric means over the repetitions
  double change = 0;               ///< after / before − 1, as a ratio
  double low = 0, high = 0;        ///< its 95 % interval, from run to run
  Move move = Move::cant_tell;
};

/// All places at one point of a test that were measured before and after.
struct ChangedGroup {
  std::string test, metric;
  Point point;
  Unit unit = Unit::count;
  Better better = Better::higher;
  int repetitions_before = 0, repetitions_after = 0;  ///< the fewest of any place
  double least = 0;            ///< a change of one place that matters; of all together, 0.4 of it
  Change common;               ///< what all places did together: the median of their changes
  std::vector<Change> places;  ///< judged by what they did beyond the common, from 3 places on
};

/// With fewer than three repetitions a side nothing is known of how runs differ: then only changes
/// beyond these are told, as ratios.
inline constexpr double told_with_one = 0.20, told_with_two = 0.12;

/// Pairs places by test, version, metric, unit, point and nodes. A change is one when it is sure
/// (Student's t on repetitions in new processes; the probability that anything at all is wrongly
/// reported of an unchanged cluster is at most 1 %) and matters (practical_difference, or the
/// policy of the later run).
std::vector<ChangedGroup> changes(const RunFiles& before, const RunFiles& after);

}  // namespace acceptance
