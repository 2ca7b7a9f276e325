#pragma once
#include <string>
#include <vector>

#include "reports/finding.h"
#include "reports/run_files.h"
#include "reports/verdict/fleet.h"
#include "reports/verdict/pairs.h"

namespace acceptance {

/// Attempts of one repetition of a run; a test measured twice has two.
int attempts_each(const Test& test);
/// Attempts beyond these are second looks at a suspect, in processes of their own.
int planned_attempts(const RunFiles& files, const Test& test);

/// What a difference between equal places must come to: by the policy, else practical_difference.
double least_that_matters(const RunFiles& files, const std::string& test, Unit unit);

/// Nodes of a run that should be equal (of one promised group; else of one model of machine, CPU
/// and devices), with what was measured on each alone, compared with one another. Ranks of one
/// machine are no places of their own: a run on this machine has none.
std::vector<FleetGroup> fleet_of(const RunFiles& files);

/// What was measured between pairs of nodes at one point of a test, and whose doing the slow ones
/// are.
struct RunPairs {
  std::string test, metric;
  Point point;
  Unit unit = Unit::count;
  PairMatrix matrix;
  std::vector<PairFault> faults;
};
/// The leaves are those of the promise.
std::vector<RunPairs> pairs_of(const RunFiles& files);

/// Nodes below their equals, one finding per test, metric and node, with how far off and how sure.
/// Above its floor a node gets a remark; without a floor it fails once a second look agrees.
/// `findings` are those of judge(). Fleets that are not homogeneous get a remark that says so.
std::vector<Finding> judge_fleet(const RunFiles& files, const std::vector<FleetGroup>& groups,
                                 const std::vector<Finding>& findings);

/// The same for what is slow between nodes: one finding per test, metric and part to blame.
std::vector<Finding> judge_pairs(const RunFiles& files, const std::vector<RunPairs>& pairs,
                                 const std::vector<Finding>& findings);

/// Groups as the passport has them.
Json fleet_table(const std::vector<FleetGroup>& groups);

}  // namespace acceptance
