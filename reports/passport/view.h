#pragma once
#include <array>
#include <string>
#include <vector>

#include "suites/core/json.h"

namespace acceptance {

/// Texts the writers share, all taken from passport.json.

/// "47.5 GB/s"; "not known" for null.
std::string figure_text(const Json& value, const std::string& unit);
/// "44.1 to 45.3 GB/s", the unit once where both ends share it; "too few samples" without an
/// interval.
std::string interval_text(const Json& measured, const std::string& unit);
/// "floor 90 GB/s, ceiling 248 GFLOP/s (84 % of it)", "none" without a reference.
std::string limits_text(const Json& finding, const std::string& unit);
/// "8 MiB, host": the point's values with their parameters' units, those that vary within the test
/// only by value.
std::string point_text(const Json& point, const Json& definition);
/// point_text, and which attempt it was unless the first.
std::string at_text(const Json& finding, const Json& definition);
/// "n1" or "n1, n2"; "n1 (2 ranks)" for two ranks on one node.
std::string where_text(const Json& where);
/// "n3, n7"; empty when a finding blames nobody.
std::string culprits_text(const Json& finding);
/// The definition of a test, or an empty object.
const Json& definition_of(const Json& passport, const std::string& test);
/// The definition of a metric of a test, or an empty object.
const Json& metric_of(const Json& definition, const std::string& metric);
/// One sentence that says what the verdict means for this passport.
std::string verdict_sentence(const Json& passport);
/// "ok 12, skipped 1".
std::string counts_text(const Json& counts);

/// The findings with a figure, grouped by test and metric in the order of the definitions.
struct FigureGroup {
  std::string test, metric, unit;
  const Json* definition = nullptr;
  std::vector<const Json*> findings;
};
std::vector<FigureGroup> figure_groups(const Json& passport);

/// What was seen beside a test's figures, one line per measurement: "256 MiB on n1", "file system
/// ext4; …".
std::vector<std::pair<std::string, std::string>> observation_rows(const Json& passport,
                                                                  const FigureGroup& group);

/// How the limits in a group come about, with their source, by point; equal ones once.
std::vector<std::pair<std::string, std::string>> derivation_rows(const FigureGroup& group);

/// Equal places beside each other: cells of a row, in the order of fleet_columns.
inline constexpr std::array fleet_columns{"test",   "at",    "places", "usual",
                                          "spread", "noise", "verdict"};
std::vector<std::array<std::string, 7>> fleet_rows(const Json& passport);

/// "16384 of 8386560 pairs of nodes were measured."; empty where there are none.
std::string pairs_sentence(const Json& passport);

/// What the figures were held against: the promise, or that there was none.
std::string promise_sentence(const Json& passport);

/// A finding that wants attention, and how many more are not run for the same reason: what a node
/// that was set apart did not do is told once.
struct Attention {
  const Json* finding;
  std::size_t more = 0;
  /// " (and 12 more of its measurements)" or empty.
  std::string more_text() const;
};
/// Fail, inconclusive, not_run, remark; worst first.
std::vector<Attention> attention(const Json& passport);

/// Rows of the inventory of one node: what, value. Unknown facts carry their reason.
std::vector<std::pair<std::string, std::string>> inventory_rows(const Json& node);

}  // namespace acceptance
