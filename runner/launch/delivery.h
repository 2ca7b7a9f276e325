#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runner/launch/launcher.h"

namespace acceptance {

/// How the program gets to nodes that don't have it, and away again. All words are pure.
struct Delivery {
  SshOptions ssh;
  std::string job;                           ///< Slurm's allocation; empty = over ssh
  std::string folder;                        ///< on each node: private, new, ours
  std::vector<std::filesystem::path> files;  ///< of the install tree
};

/// The program and what lies beside it that belongs to it: its MPI modules and libraries.
std::vector<std::filesystem::path> install_tree(const std::filesystem::path& program);

/// A program run on one node.
Command on_node(const Delivery& delivery, const std::string& node,
                const std::vector<std::string>& words);
/// The files to one node over ssh; with Slurm one file to all nodes of the allocation.
Command copy_by_scp(const Delivery& delivery, const std::string& node);
Command copy_by_sbcast(const Delivery& delivery, const std::filesystem::path& file);

/// Brings the files to the nodes and checks their digests there. Returns what went wrong, by node.
std::map<std::string, std::string> deliver(const Delivery& delivery,
                                           const std::vector<std::string>& nodes);
/// Removes the folder from the nodes; what can't be reached keeps it.
void take_away(const Delivery& delivery, const std::vector<std::string>& nodes);

}  // namespace acceptance
