#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "runner/launch/process.h"
#include "runner/plan/launch.h"

namespace acceptance {

/// What a launched process needs to find its way back. Goes by environment, never on a command
/// line.
struct Contact {
  std::string address;
  std::uint16_t port = 0;
  std::string token;
  int launch = 0;                    ///< number of this launch within the run
  std::filesystem::path program;     ///< the accept binary
  std::filesystem::path mpi_module;  ///< for worlds
  int cores = 1;                     ///< of this machine; decides whether ranks are bound
};

/// The one seam to whatever starts processes on nodes: which command starts this launch. Pure.
using Launcher = std::function<Command(const Launch&, const Contact&)>;

/// This machine: the worker itself, or mpirun for a world.
Command local_command(const Launch& launch, const Contact& contact);

}  // namespace acceptance
