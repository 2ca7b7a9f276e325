#pragma once
#include <vector>

#include "runner/plan/launch.h"
#include "suites/core/node.h"

namespace acceptance {

/// An assignment interrupted this often without a known cause is given up: it stays without a final
/// record, and is judged as not run. Interruptions whose cause is known (`culprit`) don't count:
/// that cause has a final record.
inline constexpr int most_interruptions = 3;

/// What to start now, given the plan and what has been recorded so far; empty = nothing is left to
/// do. The launches returned may run side by side; when they have ended, ask again. Pure: the first
/// plan, a resumed run and a run after a loss are the same question. Places of one machine (equal
/// boot id) never do node-scope work at the same time, and no world runs beside node-scope work.
std::vector<Launch> next(const std::vector<Assignment>& plan, const std::vector<Record>& records,
                         const std::vector<Node>& nodes);

}  // namespace acceptance
