#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "runner/launch/launcher.h"

namespace acceptance {
namespace {

constexpr const char* connect_seconds = "10";

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

Command one_node(const Launch& launch, const Contact& contact, const SshOptions& options) {
  Command c;
  c.words = {"ssh"};
  for (std::string& w : ssh_words(options)) c.words.push_back(std::move(w));
  std::vector<std::string> remote;
  for (const std::string& w : worker_words(launch, contact)) remote.push_back(quote_for_shell(w));
  if (launch.kind != LaunchKind::sweep) remote.push_back("--contact-from-input");
  c.words.insert(c.words.end(), {"--", launch.places.at(0), joined(remote, " ")});
  for (const auto& [name, value] : contact_variables(launch, contact))
    c.input += fmt::format("{}={}\n", name, value);
  return c;
}

/// Open MPI's mpirun. It reads the words for ssh split at blanks, and looks into no quotes.
Command open_mpi(const Launch& launch, const Contact& contact, const SshOptions& options) {
  Command c;
  c.environment = contact_variables(launch, contact);
  c.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
  c.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  c.words = {"mpirun",
             "-n",
             std::to_string(launch.places.size()),
             "--host",
             joined(launch.places, ":1,") + ":1",
             "--map-by",
             "ppr:1:node",
             "--bind-to",
             "core"};
  const auto mca = [&](const std::string& name, const std::string& value) {
    c.words.insert(c.words.end(), {"--mca", name, value});
  };
  mca("plm_rsh_args", joined(ssh_words(options), " "));
  mca("plm_rsh_no_tree_spawn", "1");  // nodes needn't reach one another by ssh
  if (!contact.subnets.empty()) mca("oob_tcp_if_include", contact.subnets);
  // A host that is cut off is noticed by its daemon too, but later than we notice it.
  mca("oob_tcp_keepalive_time", "20");
  mca("oob_tcp_keepalive_intvl", "5");
  mca("oob_tcp_keepalive_probes", "4");
  constexpr std::string_view prefix = "OMPI_MCA_";
  for (const auto& [name, value] : mpi_variables(contact)) mca(name.substr(prefix.size()), value);
  // By name only: the values travel in the environment, not on a command line.
  for (const auto& [name, value] : contact_variables(launch, contact))
    c.words.insert(c.words.end(), {"-x", name});
  return c;
}

/// MPICH's process manager. Words for its ssh and the workers' variables travel in the environment.
Command mpich(const Launch& launch, const Contact& contact, const SshOptions& options) {
  Command c;
  c.environment = contact_variables(launch, contact);
  c.environment.merge(mpi_variables(contact));
  std::vector<std::string> names;
  for (const auto& [name, value] : c.environment) names.push_back(name);
  c.environment["HYDRA_LAUNCHER_EXTRA_ARGS"] = joined(ssh_words(options), " ");
  c.words = {"mpiexec.hydra",
             "-n",
             std::to_string(launch.places.size()),
             "-wdir",
             "/",  // the head's own folder need not exist there
             "-ppn",
             "1",
             "-hosts",
             joined(launch.places, ","),
             "-localhost",
             contact.address,
             "-launcher",
             "ssh",
             "-bind-to",
             "core",
             "-genvlist",
             joined(names, ",")};
  return c;
}

}  // namespace

std::string quote_for_shell(const std::string& word) {
  if (word.find('\0') != std::string::npos)
    throw std::invalid_argument("a NUL byte can't be passed on");
  std::string quoted = "'";
  for (const char c : word)
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  return quoted + "'";
}

std::vector<std::string> ssh_words(const SshOptions& options) {
  std::vector<std::string> words;
  if (!options.config.empty()) words = {"-F", options.config};
  for (const char* o : {"BatchMode=yes", "ServerAliveInterval=5", "ServerAliveCountMax=4"})
    words.insert(words.end(), {"-o", o});
  words.insert(words.end(), {"-o", std::string("ConnectTimeout=") + connect_seconds});
  return words;
}

Command ssh_command(const Launch& launch, const Contact& contact, const SshOptions& options) {
  if (launch.kind != LaunchKind::world) return one_node(launch, contact, options);
  Command c = contact.mpi == Mpi::mpich ? mpich(launch, contact, options)
                                        : open_mpi(launch, contact, options);
  for (std::string& w : worker_words(launch, contact)) c.words.push_back(std::move(w));
  return c;
}

}  // namespace acceptance
