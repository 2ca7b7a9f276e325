#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "suites/core/value.h"

namespace acceptance {

/// What was promised: cluster.yaml, read. Base units; empty, 0 or absent = not told.

/// A network port of every node of a group.
struct PortPromise {
  std::string device;  ///< "mlx5_0" or "eno1"; empty = any of that rate
  double rate = 0;     ///< B/s, one direction
};

/// Nodes that are meant to be equal.
struct NodeGroup {
  std::string name;
  std::vector<std::string> nodes;
  std::string server, gpu, cpu;  ///< models, as the catalogue or the hardware names them
  int gpus = 0, domain = 0;      ///< per node; GPUs within reach of one another without the network
  int sockets = 0, cores = 0, drives = 0;
  double memory = 0, power = 0;  ///< of one node
  std::vector<PortPromise> rails;
  std::map<std::string, PortPromise> networks;  ///< storage, management, control
  std::map<std::string, std::string>
      versions;  ///< BIOS, firmware, drivers: by their name in nodes.json
  int line = 0;
};

struct FabricPromise {
  std::string name;   ///< of the catalogue: "infiniband-ndr"
  std::string kind;   ///< infiniband, roce, ethernet
  std::string shape;  ///< fat-tree, rail-optimised, single-switch
  double rate = 0;    ///< of one port
  double oversubscription = 1;
  bool in_network_reduction = true;                        ///< its switches may sum (SHARP)
  std::map<std::string, std::vector<std::string>> leaves;  ///< switch → nodes
};

struct StoragePromise {
  std::string name, path, model;  ///< model: class in the catalogue
  double read = 0, write = 0, client_read = 0, client_write = 0;
  double server_cache = 0;  ///< bytes
};

/// "interconnect.nccl_all_reduce.busbw{message=8GiB,nodes=all}: >= 370 GB/s".
struct ContractFigure {
  std::string key, test, metric;
  Point point;               ///< only these parameters are asked for
  std::optional<int> nodes;  ///< of the measurement; absent = any number
  bool all_nodes = false;
  bool at_least = true;  ///< else at most
  double value = 0;
  Unit unit = Unit::count;
  int line = 0;
};

/// What the customer makes of what is found.
struct Policy {
  std::vector<std::string> required;            ///< suites or tests; empty = all
  std::map<std::string, double> tolerance;      ///< test or glob → ratio off derived floors
  std::map<std::string, std::string> severity;  ///< test, rule or glob → fail, remark, ignore
};

struct Cluster {
  std::string name;
  std::vector<NodeGroup> groups;
  FabricPromise fabric;
  std::vector<StoragePromise> storage;
  std::string scheduler, partition;          ///< slurm, ssh, kubernetes
  double power_budget = 0, heat_budget = 0;  ///< W
  int spare_nodes = 0;
  std::vector<ContractFigure> contract;
  Policy policy;
  /// Node → its group's place in `groups`, and its leaf; made by index_nodes.
  std::unordered_map<std::string, std::size_t> group_by_node;
  std::unordered_map<std::string, std::string> leaf_by_node;
};

/// Makes group_of and leaf_of know all nodes; to be called once the groups and leaves are complete.
void index_nodes(Cluster& cluster);

/// All nodes of all groups, in order.
std::vector<std::string> node_names(const Cluster& cluster);
std::size_t node_count(const Cluster& cluster);
/// The group a node belongs to; null when it is promised nowhere.
const NodeGroup* group_of(const Cluster& cluster, const std::string& node);
/// The leaf a node hangs on, of several (one per rail) the first; empty when that isn't told.
std::string leaf_of(const Cluster& cluster, const std::string& node);

}  // namespace acceptance
