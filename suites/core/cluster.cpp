#include "suites/core/cluster.h"

#include <algorithm>

namespace acceptance {

std::vector<std::string> node_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const NodeGroup& g : cluster.groups)
    names.insert(names.end(), g.nodes.begin(), g.nodes.end());
  return names;
}

const NodeGroup* group_of(const Cluster& cluster, const std::string& node) {
  for (const NodeGroup& g : cluster.groups)
    if (std::find(g.nodes.begin(), g.nodes.end(), node) != g.nodes.end()) return &g;
  return nullptr;
}

std::string leaf_of(const Cluster& cluster, const std::string& node) {
  for (const auto& [leaf, nodes] : cluster.fabric.leaves)
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return leaf;
  return "";
}

}  // namespace acceptance
