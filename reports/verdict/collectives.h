#pragma once
#include <set>
#include <string>
#include <vector>

#include "reports/finding.h"
#include "reports/run_files.h"
#include "reports/verdict/localise.h"

namespace acceptance {

/// A collective of a run that was bad, and what smaller ones tell about it. A smaller one is an
/// assignment of the same test and point beyond the attempts planned.
struct RunCollective {
  Assignment whole;
  std::string metric;              ///< below its floor; empty = it did not come to its end
  std::vector<std::string> nodes;  ///< of `whole`, each once; what members count
  std::vector<std::string> leaves;
  int planned_attempts = 1;
  std::size_t tried = 0;         ///< smaller ones with an answer
  std::set<Members> unanswered;  ///< those that were planned, and left none
  bool rest_good = false;        ///< all but those blamed were good together
  Search search;
};

/// One for each test whose collectives over three or more nodes were bad with nobody to blame: of
/// its points the one that was worst. `findings` are those of judge().
std::vector<RunCollective> collectives_of(const RunFiles& files,
                                          const std::vector<Finding>& findings);

/// Says in the findings of collectives that were bad what it came down to, and takes the smaller
/// ones, which are means to that end, out of `findings`.
void judge_collectives(const RunFiles& files, const std::vector<RunCollective>& collectives,
                       std::vector<Finding>& findings);

/// As the passport has them.
Json collectives_table(const std::vector<RunCollective>& collectives);

}  // namespace acceptance
