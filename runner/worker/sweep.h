#pragma once
#include <string>
#include <vector>

namespace acceptance {

/// Ends every worker of a run that is left on this host and belongs to this user, and removes the
/// run's scratch folders of `node` under `target` (empty = none). Returns what can't be killed, a
/// line each.
std::vector<std::string> sweep(const std::string& run, const std::string& node,
                               const std::string& target);

}  // namespace acceptance
