#pragma once
#include <string>
#include <utility>
#include <vector>

#include "runner/launch/faults.h"
#include "runner/launch/launcher.h"
#include "runner/launch/network.h"
#include "runner/launch/slurm.h"
#include "suites/core/cluster.h"

namespace acceptance {

/// How the nodes of a run are asked for.
struct NodeOptions {
  std::string nodes = "all";      ///< "all", "local:N", or a node set ("n[01-16]", "@hostfile")
  std::string exclude;            ///< node set to leave out; empty = none
  std::string launcher = "auto";  ///< auto, local, ssh, slurm, simulated
  std::string partition;          ///< of Slurm; empty = its default
  std::string ssh_config;         ///< file for ssh -F; empty = the user's own
  std::string head_address;       ///< to which nodes connect back; empty = by route
  std::string mpi = "auto";       ///< auto, openmpi, mpich
  std::string faults;             ///< of the simulated launcher, in one line
  std::string fault_file;         ///< the same as a file: all of its text
  bool include_drained = false;   ///< use nodes that are drained, draining or reserved
  bool push = false;              ///< bring the program to the nodes, and take it away again
};

enum class Engine { local, ssh, slurm, simulated };
std::string_view name(Engine engine);

/// The nodes of a run, and the engine that starts processes on them.
struct NodeChoice {
  Engine engine = Engine::local;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> left_alone;  ///< name, and why
  ControlNetwork control;
  Mpi mpi = Mpi::open_mpi;
  SlurmOptions slurm;                  ///< its job is empty outside an allocation
  std::vector<SlurmNode> to_allocate;  ///< for Slurm outside an allocation
};

/// What the options stand for here and now; asks the scheduler, changes nothing. Throws
/// std::invalid_argument saying what is wrong.
/// With a promise, all nodes are those promised.
NodeChoice choose_nodes(const NodeOptions& options, const Cluster* promise = nullptr);

/// What the simulated launcher is to simulate on these nodes. Throws std::invalid_argument saying
/// what is wrong.
Simulated read_simulated(const NodeOptions& options, const std::vector<std::string>& nodes,
                         const Cluster* promise);

/// This machine's name as a place: plain text everywhere, whatever the host name holds.
std::string local_name();

}  // namespace acceptance
