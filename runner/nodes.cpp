#include "runner/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "suites/core/node_set.h"
#include "suites/core/text.h"
#include "suites/inventory/probe.h"

namespace acceptance {
namespace {

constexpr std::string_view local_prefix = "local:";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> local_names(const std::string& set) {
  if (set == "all") return {local_name()};
  constexpr int most = 256;
  int count = 0;
  const char* begin = set.data() + local_prefix.size();
  const auto [end, error] = std::from_chars(begin, set.data() + set.size(), count);
  if (error != std::errc{} || end != set.data() + set.size() || count < 1 || count > most)
    throw std::invalid_argument(
        fmt::format("'{}': N must be a whole number from 1 to {}", set, most));
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) names.push_back(fmt::format("local{}", i));
  return names;
}

Engine engine_named(const std::string& word) {
  for (const Engine e : {Engine::local, Engine::ssh, Engine::slurm, Engine::simulated})
    if (word == name(e)) return e;
  throw std::invalid_argument(
      fmt::format("unknown launcher '{}'{}; known are auto, local, ssh, slurm, simulated", word,
                  suggestion(word, {"auto", "local", "ssh", "slurm", "simulated"})));
}

/// Slurm where the nodes are its own, else ssh for a set of names, else this machine.
Engine choose_engine(const NodeOptions& o, const std::optional<std::vector<SlurmNode>>& slurm) {
  if (o.launcher != "auto") return engine_named(o.launcher);
  if (o.nodes.starts_with(local_prefix)) return Engine::local;
  if (!slurm) return o.nodes == "all" ? Engine::local : Engine::ssh;
  if (o.nodes == "all") return Engine::slurm;
  const std::vector<std::string> names = expand_node_set(o.nodes);
  const auto known = [&](const std::string& n) {
    return std::any_of(slurm->begin(), slurm->end(), [&](const auto& s) { return s.name == n; });
  };
  return std::all_of(names.begin(), names.end(), known) ? Engine::slurm : Engine::ssh;
}

/// Names, nodes left alone and the allocation to be made, by what Slurm says.
void choose_from_slurm(const NodeOptions& o, const std::vector<SlurmNode>& known, NodeChoice& c) {
  c.slurm.job = variable("SLURM_JOB_ID");
  std::vector<std::string> allocated;
  if (!c.slurm.job.empty()) allocated = expand_node_set(variable("SLURM_JOB_NODELIST"));
  // In an allocation that this program made for itself, what could not be had is not forgotten.
  const bool ours = !variable("ACCEPT_ALLOCATION").empty();
  std::vector<std::string> wanted, all;
  for (const SlurmNode& n : known) all.push_back(n.name);
  if (o.nodes == "all")
    wanted = c.slurm.job.empty() || ours ? all : allocated;
  else
    wanted = expand_node_set(o.nodes);
  if (!o.exclude.empty()) wanted = without(std::move(wanted), expand_node_set(o.exclude));
  for (const std::string& name : wanted) {
    const auto node =
        std::find_if(known.begin(), known.end(), [&](const auto& n) { return n.name == name; });
    const bool have = std::find(allocated.begin(), allocated.end(), name) != allocated.end();
    if (node == known.end() && !have)
      throw std::invalid_argument(fmt::format(
          "Slurm knows no node {}{}{}", name,
          o.partition.empty() ? "" : " in partition " + o.partition, suggestion(name, all)));
    const std::string closed = node == known.end() ? "" : node->closed();
    if (!closed.empty() && !(o.include_drained && have))
      c.left_alone.emplace_back(
          name, o.include_drained
                    ? closed + "; Slurm starts nothing on it: use --launcher ssh"
                    : closed + (have ? "; --include-drained uses it nevertheless" : ""));
    else if (!c.slurm.job.empty() && !have && !ours)
      throw std::invalid_argument(fmt::format("{} is not in the allocation {} ({})", name,
                                              c.slurm.job, variable("SLURM_JOB_NODELIST")));
    else if (!c.slurm.job.empty() && !have)
      c.left_alone.emplace_back(name, "Slurm did not give it to the allocation");
    else {
      c.names.push_back(name);
      if (c.slurm.job.empty()) c.to_allocate.push_back(*node);
    }
  }
  if (c.names.empty())
    throw std::invalid_argument(fmt::format(
        "no node can be used: {}", c.left_alone.empty()
                                       ? "Slurm lists none"
                                       : c.left_alone[0].first + " is " + c.left_alone[0].second));
}

Mpi choose_mpi(const std::string& word) {
  if (word == "openmpi") return Mpi::open_mpi;
  if (word == "mpich") return Mpi::mpich;
  if (word != "auto")
    throw std::invalid_argument(fmt::format("unknown MPI '{}'{}; known are auto, openmpi, mpich",
                                            word, suggestion(word, {"auto", "openmpi", "mpich"})));
  constexpr double answer_within_seconds = 10;
  const std::string words = ask({{"mpirun", "--version"}, {}}, answer_within_seconds).output;
  const bool hydra = words.find("HYDRA") != std::string::npos;
  return hydra ? Mpi::mpich : Mpi::open_mpi;
}

/// The head's address as the nodes reach it: by the route to one of them that isn't this machine.
ControlNetwork choose_control(const NodeOptions& o, const std::vector<std::string>& names) {
  if (!o.head_address.empty()) {
    ControlNetwork n = network_of(o.head_address);
    if (n.interface.empty())
      throw std::invalid_argument(
          fmt::format("--head-address {}: no interface of this machine has it", o.head_address));
    return n;
  }
  ControlNetwork found;
  std::string why;
  for (const std::string& node : names) {
    try {
      found = network_towards(node);
      if (!found.address.starts_with("127.")) return found;
    } catch (const std::invalid_argument& e) {
      why = e.what();
      if (names.size() == 1) throw;
    }
  }
  if (found.address.empty())
    throw std::invalid_argument(why + ", and the same for all other nodes");
  throw std::invalid_argument(
      "all these nodes are this machine itself (its address is 127.*): use --launcher local, or "
      "name the address by which they reach it with --head-address");
}

void check(const NodeOptions& o) {
  if (o.nodes.empty()) throw std::invalid_argument("--nodes names no node");
  // Open MPI splits the words for its ssh at blanks, whatever quotes there are.
  if (o.ssh_config.find_first_of(" \t\n\"'\\") != std::string::npos)
    throw std::invalid_argument(fmt::format(
        "--ssh-config '{}': mpirun can't pass on a path with blanks or quotes", o.ssh_config));
  if (!o.ssh_config.empty() && !std::filesystem::is_regular_file(o.ssh_config))
    throw std::invalid_argument(fmt::format("--ssh-config: no such file: {}", o.ssh_config));
}

}  // namespace

std::string_view name(Engine e) {
  switch (e) {
    case Engine::local: return "local";
    case Engine::ssh: return "ssh";
    case Engine::slurm: return "slurm";
    case Engine::simulated: return "simulated";
  }
  return "local";
}

std::string local_name() {
  std::string name = host_name();
  for (char& c : name)
    if (c < 0x21 || c > 0x7e || c == '/' || c == '+' || c == '#') c = '?';
  return name;
}

Simulated read_simulated(const NodeOptions& o, const std::vector<std::string>& nodes,
                         const Cluster* promise) {
  if (o.fault_file.empty()) return read_faults(o.faults, nodes);
  if (!o.faults.empty()) throw std::invalid_argument("--simulate and --faults exclude one another");
  return read_fault_file(o.fault_file, "--faults", nodes, promise);
}

NodeChoice choose_nodes(const NodeOptions& asked, const Cluster* promise) {
  NodeOptions o = asked;
  if (promise && o.nodes == "all") o.nodes = fold_node_set(node_names(*promise));
  if (promise && o.partition.empty()) o.partition = promise->partition;
  if (promise && o.launcher == "auto" && promise->scheduler == "ssh" && o.nodes != local_name() &&
      !o.nodes.starts_with(local_prefix))
    o.launcher = "ssh";
  check(o);
  NodeChoice c;
  std::optional<std::vector<SlurmNode>> slurm;
  const bool never = o.nodes.starts_with(local_prefix);
  if (o.launcher == "slurm" || (o.launcher == "auto" && !never)) slurm = slurm_nodes(o.partition);
  c.engine = choose_engine(o, slurm);
  if (c.engine == Engine::slurm) {
    if (!slurm)
      throw std::invalid_argument("--launcher slurm: there is no Slurm here (sinfo is missing)");
    choose_from_slurm(o, *slurm, c);
  } else {
    const bool here = o.nodes == "all" || never;
    if (here && c.engine != Engine::local)
      throw std::invalid_argument(
          fmt::format("--launcher {} needs --nodes n[01-16] or @FILE", name(c.engine)));
    c.names = here ? local_names(o.nodes) : expand_node_set(o.nodes);
    if (!o.exclude.empty()) c.names = without(std::move(c.names), expand_node_set(o.exclude));
    if (c.names == std::vector{local_name()} && o.launcher == "auto") c.engine = Engine::local;
    if (!here && c.engine == Engine::local && c.names != std::vector{local_name()})
      throw std::invalid_argument(
          fmt::format("--launcher local: {} is not this machine", c.names.front()));
  }
  if (c.engine == Engine::simulated) read_simulated(o, c.names, promise);
  if (c.engine != Engine::simulated && !(o.faults.empty() && o.fault_file.empty()))
    throw std::invalid_argument("--simulate and --faults go with --launcher simulated");
  if (c.engine == Engine::local || c.engine == Engine::simulated) c.control.address = "127.0.0.1";
  if (c.engine == Engine::ssh || c.engine == Engine::slurm) c.control = choose_control(o, c.names);
  if (c.engine != Engine::simulated) c.mpi = choose_mpi(o.mpi);
  if (c.engine == Engine::slurm) {
    constexpr double answer_within_seconds = 30;
    c.slurm.mpi = srun_mpi(c.mpi, ask({{"srun", "--mpi=list"}, {}}, answer_within_seconds).output);
    // Then ranks don't find one another, which is seen when they report.
    if (c.slurm.mpi.empty()) c.slurm.mpi = "none";
  }
  return c;
}

}  // namespace acceptance
