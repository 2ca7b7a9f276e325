#pragma once
#include <string>

namespace acceptance {

/// The network between this machine and a node, as the routing table sees it.
struct ControlNetwork {
  std::string address;    ///< ours, to which nodes connect back
  std::string subnet;     ///< "10.90.0.0/24"; for MPI's own traffic
  std::string interface;  ///< "eno1"; empty when no interface has the address
};

/// The interface and subnet that `address` of this machine belongs to.
ControlNetwork network_of(const std::string& address);
/// The same for this end of a connected socket.
ControlNetwork network_of_socket(int fd);

/// Asks the routing table how packets to `host` leave this machine; sends none. Throws
/// std::invalid_argument when the name is unknown or there is no route.
ControlNetwork network_towards(const std::string& host);

}  // namespace acceptance
