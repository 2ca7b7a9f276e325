#pragma once
#include <string>
#include <vector>

#include "reports/cluster/wiring.h"
#include "reports/reference/catalogue.h"
#include "suites/core/node.h"

namespace acceptance {

/// What `accept init` knows besides the nodes' own words.
struct DraftFacts {
  std::string name;       ///< of the cluster
  std::string scheduler;  ///< slurm, ssh; empty = not told
  std::string partition;
  std::string server;  ///< model of the servers; empty = as their firmware names them
  Leaves leaves;
  std::string leaves_from;          ///< where these were read
  std::vector<std::string> silent;  ///< nodes that did not answer, and yet are promised
};

/// The text of a cluster.yaml for these nodes, every guess marked. Nodes of one kind of server are
/// one group, whatever is missing in some: what the model says, else the best of the group, is put
/// down as the promise, never a defect. Throws std::invalid_argument when the server is unknown.
std::string draft_cluster(const std::vector<Node>& nodes, const DraftFacts& facts,
                          const Catalogue& catalogue);

}  // namespace acceptance
