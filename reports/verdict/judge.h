#pragma once
#include <vector>

#include "reports/finding.h"
#include "reports/run_files.h"

namespace acceptance {

/// One finding per planned assignment and metric, and one for every planned assignment that left no
/// figure. Needs files only.
std::vector<Finding> judge(const RunFiles& files);

/// Findings about the machine as a whole: measurements too noisy to be repeated, figures that
/// contradict each other. Remarks only.
std::vector<Finding> judge_consistency(const RunFiles& files, const std::vector<Finding>& findings);

}  // namespace acceptance
