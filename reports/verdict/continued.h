#pragma once
#include <vector>

#include "reports/finding.h"
#include "reports/run_files.h"

namespace acceptance {

/// A figure whose interval has the floor in it is measured on, up to so many times, and judged by
/// all its samples together, with an interval that holds at every look (sequential.h).
inline constexpr int most_continuations = 3;

/// Assignments to be measured on now, of those `findings` (of judge()) that are undecided and that
/// more samples would probably decide.
std::vector<Assignment> to_continue(const RunFiles& files, const std::vector<Finding>& findings);

/// Decides what all samples of a place together decide, and says of the rest how much more would.
void judge_continued(const RunFiles& files, std::vector<Finding>& findings);

}  // namespace acceptance
