#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "runner/launch/process.h"
#include "runner/plan/launch.h"

namespace acceptance {

/// What a launched process needs to find its way back. Goes by environment or standard input, never
/// on a command line.
struct Contact {
  std::string address;
  std::uint16_t port = 0;
  std::string token;
  int launch = 0;                    ///< number of this launch within the run
  std::filesystem::path program;     ///< the accept binary
  std::filesystem::path mpi_module;  ///< for worlds
  int cores = 1;                     ///< of this machine; decides whether ranks are bound
};

/// The variables in which a worker looks for its contact.
std::map<std::string, std::string> contact_variables(const Launch& launch, const Contact& contact);

/// The one seam to whatever starts processes on nodes: which command starts this launch. Pure.
using Launcher = std::function<Command(const Launch&, const Contact&)>;

/// This machine: the worker itself, or mpirun for a world.
Command local_command(const Launch& launch, const Contact& contact);

/// How hosts are reached by ssh.
struct SshOptions {
  std::string config;  ///< file for ssh -F; empty = the user's own
  std::string subnet;  ///< for MPI's own traffic, "10.90.0.0/24"; empty = MPI chooses
};

/// Plain ssh for one node, mpirun over ssh for a world; the program lies at the same path on every
/// node. What ssh hands to the remote shell is quoted, and the contact goes by standard input.
Command ssh_command(const Launch& launch, const Contact& contact, const SshOptions& options);

/// A word that any POSIX shell reads as exactly these characters. Throws std::invalid_argument for
/// a NUL byte.
std::string quote_for_shell(const std::string& word);

}  // namespace acceptance
