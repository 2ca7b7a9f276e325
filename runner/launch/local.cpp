#include "runner/launch/launcher.h"

namespace acceptance {

std::map<std::string, std::string> contact_variables(const Launch& launch, const Contact& contact) {
  std::map<std::string, std::string> v{{"ACCEPT_HEAD", contact.address},
                                       {"ACCEPT_PORT", std::to_string(contact.port)},
                                       {"ACCEPT_TOKEN", contact.token},
                                       {"ACCEPT_LAUNCH", std::to_string(contact.launch)}};
  if (launch.kind == LaunchKind::world) v["ACCEPT_MPI_MODULE"] = contact.mpi_module.string();
  return v;
}

Command local_command(const Launch& launch, const Contact& contact) {
  Command c;
  c.environment = contact_variables(launch, contact);
  const std::vector<std::string> worker{contact.program.string(), "worker"};
  if (launch.kind != LaunchKind::world) {
    c.words = worker;
    return c;
  }
  // Open MPI refuses to start for root unless told twice.
  c.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
  c.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  const auto ranks = static_cast<int>(launch.places.size());
  c.words = {"mpirun", "-n", std::to_string(ranks), "--host", "localhost:" + std::to_string(ranks)};
  // One core each while there are enough, as an MPI job runs; else ranks share and yield.
  if (ranks <= contact.cores)
    c.words.insert(c.words.end(), {"--bind-to", "core"});
  else
    c.words.insert(c.words.end(),
                   {"--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"});
  c.words.insert(c.words.end(), worker.begin(), worker.end());
  return c;
}

}  // namespace acceptance
