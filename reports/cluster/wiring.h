#pragma once
#include <map>
#include <string>
#include <vector>

namespace acceptance {

/// Leaf switch → nodes on it, from what the system tells. Lines that are not understood are left
/// out: these are texts of other programs. A node may hang on several leaves (one per rail).
using Leaves = std::map<std::string, std::vector<std::string>>;

/// Slurm's topology.conf: lines "SwitchName=leaf1 Nodes=n[01-16]".
Leaves leaves_of_slurm(const std::string& topology_conf);
/// What ibnetdiscover prints: switches, and the adapters on their ports, named by node.
Leaves leaves_of_ibnetdiscover(const std::string& output);
/// "n1: lldp.eth2.chassis.name=leaf1": lldpctl -f keyvalue of several nodes, each line with its
/// node's name in front, as pdsh and clush print it.
Leaves leaves_of_lldp(const std::string& output);

}  // namespace acceptance
