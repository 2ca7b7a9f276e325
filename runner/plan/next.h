#pragma once
#include <vector>

#include "runner/plan/launch.h"
#include "suites/core/node.h"

namespace acceptance {

/// An assignment interrupted this often without a known cause is given up: it stays without a final
/// record, and is judged as not run. Interruptions whose cause is known (`culprits`) don't count:
/// that cause has a final record.
inline constexpr int most_interruptions = 3;
/// A launch of the same places that comes to nothing this often, without anything done between, is
/// not tried again.
inline constexpr int most_failed_starts = 3;

/// What a run knows when it asks what to do. Records from index `since` on are this session's: a
/// resumed run gives everybody a new chance.
struct Progressed {
  const std::vector<Assignment>& plan;
  const std::vector<Record>& records;
  const std::vector<Node>& nodes;  ///< those that may be used
  std::size_t since = 0;
};

/// What to start now; empty = nothing is left that can be done. The launches returned may run side
/// by side; when they have ended, ask again. Pure: the first plan, a resumed run, a run after a
/// loss and the second look at a suspect are the same question.
///
/// Places of one machine (equal boot id) never do node-scope work at the same time, and no world
/// runs beside node-scope work. A node that was silent, hung or did not start is a suspect: worlds
/// go on without it, then it gets its own chance beside the good ones; when that fails too it is
/// set apart. Where a world doesn't come to life and nobody can be blamed, its nodes are asked
/// anew.
std::vector<Launch> next(const Progressed& run);

/// When `next` has nothing left: why each assignment that is still undone stays so. The records are
/// not final, a resumed run tries again.
std::vector<Record> left_undone(const Progressed& run);

/// Cluster and group assignments that a node has brought down, or that can't be done because it is
/// set apart, without that node.
std::vector<Assignment> without_the_lost(const Progressed& run);

}  // namespace acceptance
