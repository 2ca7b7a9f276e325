#include <fmt/format.h>

#include <stdexcept>

#include "runner/launch/launcher.h"

namespace acceptance {
namespace {

constexpr const char* connect_seconds = "10";

/// Options of ssh itself, before the host.
std::vector<std::string> ssh_words(const SshOptions& options) {
  std::vector<std::string> words;
  if (!options.config.empty()) words = {"-F", options.config};
  // Never a question nobody answers.
  for (const std::string& o :
       {std::string("BatchMode=yes"), std::string("ConnectTimeout=") + connect_seconds})
    words.insert(words.end(), {"-o", o});
  return words;
}

Command one_node(const Launch& launch, const Contact& contact, const SshOptions& options) {
  Command c;
  c.words = {"ssh"};
  for (std::string& w : ssh_words(options)) c.words.push_back(std::move(w));
  c.words.insert(c.words.end(),
                 {"--", launch.places.at(0),
                  quote_for_shell(contact.program.string()) + " worker --contact-from-input"});
  for (const auto& [name, value] : contact_variables(launch, contact))
    c.input += fmt::format("{}={}\n", name, value);
  return c;
}

Command world(const Launch& launch, const Contact& contact, const SshOptions& options) {
  Command c;
  c.environment = contact_variables(launch, contact);
  c.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
  c.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  std::string hosts, ssh;
  for (const std::string& place : launch.places) hosts += (hosts.empty() ? "" : ",") + place + ":1";
  for (const std::string& w : ssh_words(options)) ssh += (ssh.empty() ? "" : " ") + w;
  c.words = {"mpirun",     "-n",        std::to_string(launch.places.size()),
             "--host",     hosts,       "--map-by",
             "ppr:1:node", "--bind-to", "core"};
  const auto mca = [&](const std::string& name, const std::string& value) {
    c.words.insert(c.words.end(), {"--mca", name, value});
  };
  mca("plm_rsh_args", ssh);
  // MPI keeps to TCP on the control network: the rails belong to what is measured.
  mca("pml", "ob1");
  mca("btl", "self,vader,tcp");
  if (!options.subnet.empty()) {
    mca("btl_tcp_if_include", options.subnet);
    mca("oob_tcp_if_include", options.subnet);
  }
  // By name only: the values travel in the environment, not on a command line.
  for (const auto& [name, value] : contact_variables(launch, contact))
    c.words.insert(c.words.end(), {"-x", name});
  c.words.insert(c.words.end(), {contact.program.string(), "worker"});
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

Command ssh_command(const Launch& launch, const Contact& contact, const SshOptions& options) {
  return launch.kind == LaunchKind::world ? world(launch, contact, options)
                                          : one_node(launch, contact, options);
}

}  // namespace acceptance
