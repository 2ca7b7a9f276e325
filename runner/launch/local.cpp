#include "runner/launch/launcher.h"

namespace acceptance {

std::map<std::string, std::string> contact_variables(const Launch& launch, const Contact& contact) {
  std::map<std::string, std::string> v{{"ACCEPT_HEAD", contact.address},
                                       {"ACCEPT_PORT", std::to_string(contact.port)},
                                       {"ACCEPT_TOKEN", contact.token},
                                       {"ACCEPT_LAUNCH", std::to_string(contact.launch)},
                                       {"ACCEPT_MPI_MODULE", contact.mpi_module.string()}};
  if (launch.kind == LaunchKind::world) v["ACCEPT_WORLD"] = "1";
  if (!contact.folder.empty()) v["ACCEPT_FOLDER"] = contact.folder;
  return v;
}

std::vector<std::string> worker_words(const Launch& launch, const Contact& contact) {
  std::vector<std::string> words{contact.program.string(), "worker", "--run", contact.run};
  if (launch.kind != LaunchKind::sweep) return words;
  words.insert(words.end(), {"--sweep", launch.places.at(0)});
  if (!contact.target.empty()) words.insert(words.end(), {"--target", contact.target});
  return words;
}

std::map<std::string, std::string> mpi_variables(const Contact& contact) {
  std::map<std::string, std::string> v;
  if (contact.mpi == Mpi::mpich) {  // whichever of its two transports it was built on
    v["UCX_TLS"] = "tcp,self,sm";
    v["FI_PROVIDER"] = "tcp";
    if (!contact.interface.empty()) v["UCX_NET_DEVICES"] = v["FI_TCP_IFACE"] = contact.interface;
    return v;
  }
  v["OMPI_MCA_pml"] = "ob1";
  v["OMPI_MCA_btl"] = "self,vader,tcp";
  if (!contact.subnets.empty()) v["OMPI_MCA_btl_tcp_if_include"] = contact.subnets;
  return v;
}

Command local_command(const Launch& launch, const Contact& contact) {
  Command c;
  c.environment = contact_variables(launch, contact);
  const std::vector<std::string> worker = worker_words(launch, contact);
  if (launch.kind != LaunchKind::world) {
    c.words = worker;
    return c;
  }
  // Open MPI refuses to start for root unless told twice.
  c.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
  c.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  const auto ranks = static_cast<int>(launch.places.size());
  const std::string count = std::to_string(ranks);
  const bool bound =
      ranks <= contact.cores;  // one core each while there are enough, as MPI jobs run
  if (contact.mpi == Mpi::mpich) {
    c.words = {"mpiexec.hydra", "-n", count, "-bind-to", bound ? "core" : "none"};
  } else {
    c.words = {"mpirun", "-n", count, "--host", "localhost:" + count};
    if (bound)
      c.words.insert(c.words.end(), {"--bind-to", "core"});
    else  // ranks share and yield
      c.words.insert(c.words.end(),
                     {"--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"});
  }
  c.words.insert(c.words.end(), worker.begin(), worker.end());
  return c;
}

}  // namespace acceptance
