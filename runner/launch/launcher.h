#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "runner/launch/process.h"
#include "runner/plan/launch.h"

namespace acceptance {

/// Which MPI starts the worlds.
enum class Mpi { open_mpi, mpich };

/// What a launched process needs to find its way back. Goes by environment or standard input, never
/// on a command line.
struct Contact {
  std::string address;
  std::uint16_t port = 0;
  std::string token;
  int launch = 0;                    ///< number of this launch within the run
  std::filesystem::path program;     ///< the accept binary, as the nodes see it
  std::filesystem::path mpi_module;  ///< for worlds
  int cores = 1;                     ///< of this machine; decides whether ranks are bound
  std::string run;                   ///< tag of the run; by it a worker left behind is found again
  std::string folder;  ///< the program was brought there and goes with the run; empty = none
  std::string target;  ///< folder of the storage tests; for sweeping
  Mpi mpi = Mpi::open_mpi;
  std::string subnets;    ///< of the control network, for MPI's own traffic; empty = MPI chooses
  std::string interface;  ///< its name, where it is the same on all nodes; for MPICH
};

/// The variables in which a worker looks for its contact.
std::map<std::string, std::string> contact_variables(const Launch& launch, const Contact& contact);
/// The words of the worker itself.
std::vector<std::string> worker_words(const Launch& launch, const Contact& contact);
/// Variables that keep MPI's traffic to TCP on the control network: the rails belong to what is
/// measured.
std::map<std::string, std::string> mpi_variables(const Contact& contact);

/// The one seam to whatever starts processes on nodes: which command starts this launch. Pure.
using Launcher = std::function<Command(const Launch&, const Contact&)>;

/// This machine: the worker itself, or mpirun for a world.
Command local_command(const Launch& launch, const Contact& contact);

/// How hosts are reached by ssh.
struct SshOptions {
  std::string config;  ///< file for ssh -F; empty = the user's own
};

/// Options of ssh itself, before the host: never a question nobody answers, and a dead host is
/// noticed.
std::vector<std::string> ssh_words(const SshOptions& options);

/// Plain ssh for one node, mpirun over ssh for a world; the program lies at the same path on every
/// node. What ssh hands to the remote shell is quoted, and the contact goes by standard input.
Command ssh_command(const Launch& launch, const Contact& contact, const SshOptions& options);

/// Inside a Slurm allocation.
struct SlurmOptions {
  std::string job;  ///< its id
  std::string mpi;  ///< for srun --mpi of a world: "pmix", "pmi2"
};

/// A step of srun for every launch. Steps share the nodes with one another (--overlap), and one
/// process's end is nobody else's.
Command slurm_command(const Launch& launch, const Contact& contact, const SlurmOptions& options);

/// A word that any POSIX shell reads as exactly these characters. Throws std::invalid_argument for
/// a NUL byte.
std::string quote_for_shell(const std::string& word);

}  // namespace acceptance
