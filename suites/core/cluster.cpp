#include "suites/core/cluster.h"

namespace acceptance {

std::vector<std::string> node_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const NodeGroup& g : cluster.groups)
    names.insert(names.end(), g.nodes.begin(), g.nodes.end());
  return names;
}

std::size_t node_count(const Cluster& cluster) {
  std::size_t count = 0;
  for (const NodeGroup& g : cluster.groups) count += g.nodes.size();
  return count;
}

void index_nodes(Cluster& cluster) {
  cluster.group_by_node.clear();
  cluster.leaf_by_node.clear();
  for (std::size_t i = 0; i < cluster.groups.size(); ++i)
    for (const std::string& node : cluster.groups[i].nodes) cluster.group_by_node.emplace(node, i);
  for (const auto& [leaf, nodes] : cluster.fabric.leaves)
    for (const std::string& node : nodes) cluster.leaf_by_node.emplace(node, leaf);
}

const NodeGroup* group_of(const Cluster& cluster, const std::string& node) {
  const auto found = cluster.group_by_node.find(node);
  return found == cluster.group_by_node.end() ? nullptr : &cluster.groups.at(found->second);
}

std::string leaf_of(const Cluster& cluster, const std::string& node) {
  const auto found = cluster.leaf_by_node.find(node);
  return found == cluster.leaf_by_node.end() ? "" : found->second;
}

}  // namespace acceptance
