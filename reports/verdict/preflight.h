#pragma once
#include <vector>

#include "reports/finding.h"

namespace acceptance {

/// Whether the nodes are fit to be measured together, from what their probes found: equal MPI and
/// kernel, clocks, limits, space, other load, devices that equal servers have. One finding per
/// check and group of nodes; nothing where all is well.
std::vector<Finding> judge_preflight(const std::vector<Node>& nodes);

/// "clock on n3: is 3600 s ahead …; what to do: …", for showing a finding before there is a
/// passport.
std::string one_line(const Finding& finding);

}  // namespace acceptance
