#pragma once
#include <optional>

#include "runner/session.h"

namespace acceptance {

/// With Slurm and outside an allocation: starts the same command again inside one of its own, and
/// does not return. The allocation ends with the command, however that ends.
void allocate_if_needed(const SessionOptions& options);

/// salloc calls it a success when the command it runs is killed. So in an allocation of our own a
/// process that does nothing else stands between them, and this returns its exit status. Nothing:
/// this is the one to do the work.
std::optional<int> supervise_if_needed();

}  // namespace acceptance
