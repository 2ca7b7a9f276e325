#pragma once
#include <string>
#include <vector>

#include "runner/launch/launcher.h"

namespace acceptance {

/// A node as the scheduler sees it.
struct SlurmNode {
  std::string name, state, partition, gres, reason;
  bool default_partition = false;
  /// Why nothing may be started on it, or empty: "drained (broken fan)".
  std::string closed() const;
};

/// The words that list the nodes of a partition (empty = all partitions).
std::vector<std::string> sinfo_words(const std::string& partition);
/// What they print. Throws std::invalid_argument for anything else.
std::vector<SlurmNode> read_sinfo(const std::string& text);
/// Asks Slurm. Nothing where there is none. Throws std::invalid_argument with its words when there
/// is one that doesn't answer.
std::optional<std::vector<SlurmNode>> slurm_nodes(const std::string& partition);

/// The words that make an allocation of these nodes and start `own` inside it.
std::vector<std::string> salloc_words(const std::vector<SlurmNode>& nodes,
                                      const std::vector<std::string>& own);

/// What worlds of this MPI need behind srun's --mpi=, out of what `srun --mpi=list` prints; the
/// wrong one gives N singletons. Empty when it offers nothing that fits.
std::string srun_mpi(Mpi mpi, const std::string& list);

}  // namespace acceptance
