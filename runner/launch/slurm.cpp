#include "runner/launch/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace acceptance {
namespace {

constexpr double answer_within_seconds = 30;

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

/// "gpu:h100:8(S:0-1)" → 8; 0 for none.
int gpus_in(const std::string& gres) {
  std::stringstream all(gres.substr(0, gres.find('(')));
  int count = 0;
  for (std::string one; std::getline(all, one, ',');) {
    if (one != "gpu" && !one.starts_with("gpu:")) continue;
    const std::string last = one.substr(one.rfind(':') + 1);
    const bool number = !last.empty() && last.find_first_not_of("0123456789") == std::string::npos;
    count += number && last.size() < 5 ? std::stoi(last) : 1;
  }
  return count;
}

}  // namespace

std::string SlurmNode::closed() const {
  // A flag behind the state: '*' = doesn't answer, '$' = in a reservation for maintenance; the
  // others speak of power saving.
  std::string word = state;
  const auto flag = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  const std::string flags = flag == std::string::npos ? "" : word.substr(flag);
  word.resize(std::min(flag, word.size()));
  constexpr std::array<const char*, 12> shut{"drained", "draining",      "drain", "down",
                                             "fail",    "failing",       "maint", "reserved",
                                             "unknown", "powering_down", "error", "blocked"};
  std::string why;
  if (std::find(shut.begin(), shut.end(), word) != shut.end())
    why = word;
  else if (flags.find('*') != std::string::npos)
    why = word + ", but doesn't answer Slurm";
  else if (flags.find('$') != std::string::npos)
    why = "in maintenance";
  if (why.empty()) return "";
  return reason.empty() || reason == "none" ? why : fmt::format("{} ({})", why, reason);
}

std::vector<std::string> sinfo_words(const std::string& partition) {
  std::vector<std::string> words{"sinfo", "--noheader", "--Node", "--format=%N|%T|%P|%G|%E"};
  if (!partition.empty()) words.push_back("--partition=" + partition);
  return words;
}

std::vector<SlurmNode> read_sinfo(const std::string& text) {
  std::vector<SlurmNode> nodes;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    std::array<std::string, 5> field;
    std::stringstream fields(line);
    for (std::size_t i = 0; i + 1 < field.size(); ++i)
      if (!std::getline(fields, field[i], '|') || field[i].empty())
        throw std::invalid_argument(fmt::format("sinfo printed '{}'", line.substr(0, 200)));
    std::getline(fields, field[4]);
    SlurmNode n{field[0], field[1], field[2], field[3], field[4]};
    if (n.partition.ends_with('*')) {
      n.default_partition = true;
      n.partition.pop_back();
    }
    nodes.push_back(std::move(n));
  }
  return nodes;
}

std::optional<std::vector<SlurmNode>> slurm_nodes(const std::string& partition) {
  const Answer answer = ask({sinfo_words(partition), {}}, answer_within_seconds);
  if (answer.ok()) {
    std::vector<SlurmNode> all = read_sinfo(answer.output);
    // Without a partition named it is the default one, where there is one.
    if (partition.empty() &&
        std::any_of(all.begin(), all.end(), [](const auto& n) { return n.default_partition; }))
      std::erase_if(all, [](const SlurmNode& n) { return !n.default_partition; });
    std::vector<SlurmNode> once;
    for (SlurmNode& n : all)
      if (std::none_of(once.begin(), once.end(), [&](const auto& o) { return o.name == n.name; }))
        once.push_back(std::move(n));
    return once;
  }
  constexpr int not_found = 127;
  const bool absent = answer.ending && answer.ending->number == not_found;
  // Its programs are here, but this machine belongs to no cluster.
  const bool unconfigured = answer.output.find("configuration source") != std::string::npos;
  if (absent || unconfigured) return std::nullopt;
  throw std::invalid_argument(
      fmt::format("Slurm doesn't answer: {}; --launcher ssh or local does without it",
                  answer.ending ? answer.said() : "sinfo did not end in time"));
}

std::vector<std::string> salloc_words(const std::vector<SlurmNode>& nodes,
                                      const std::vector<std::string>& own) {
  std::vector<std::string> names;
  int gpus = -1;
  for (const SlurmNode& n : nodes) {
    names.push_back(n.name);
    gpus = gpus < 0 ? gpus_in(n.gres) : std::min(gpus, gpus_in(n.gres));
  }
  // --no-kill: a node that fails must not take the allocation along.
  std::vector<std::string> words{"salloc",
                                 "--job-name=accept",
                                 "--no-kill",
                                 "--exclusive",
                                 fmt::format("--nodes={}", nodes.size()),
                                 "--nodelist=" + joined(names),
                                 "--partition=" + nodes.at(0).partition};
  if (gpus > 0) words.push_back(fmt::format("--gres=gpu:{}", gpus));
  words.insert(words.end(), own.begin(), own.end());
  return words;
}

std::string srun_mpi(Mpi mpi, const std::string& list) {
  const auto offers = [&](const std::string& word) {
    std::stringstream in(list);
    for (std::string one; in >> one;)
      if (one == word) return true;
    return false;
  };
  const std::vector<std::string> wanted =
      mpi == Mpi::open_mpi ? std::vector<std::string>{"pmix"} : std::vector<std::string>{"pmi2"};
  for (const std::string& w : wanted)
    if (offers(w)) return w;
  return "";
}

Command slurm_command(const Launch& launch, const Contact& contact, const SlurmOptions& options) {
  Command c;
  c.environment = contact_variables(launch, contact);
  const bool world = launch.kind == LaunchKind::world;
  const std::string count = std::to_string(launch.places.size());
  c.words = {"srun",
             "--jobid=" + options.job,
             "--nodes=" + count,
             "--ntasks=" + count,
             "--ntasks-per-node=1",
             "--nodelist=" + joined(launch.places),
             "--overlap",
             "--no-kill",
             "--kill-on-bad-exit=0",
             "--mem=0",
             "--export=ALL",
             "--input=none",
             "--chdir=/",
             std::string("--cpu-bind=") + (world ? "cores" : "none"),
             "--mpi=" + (world ? options.mpi : std::string("none"))};
  if (world)
    for (const auto& [name, value] : mpi_variables(contact)) c.environment[name] = value;
  for (std::string& w : worker_words(launch, contact)) c.words.push_back(std::move(w));
  return c;
}

}  // namespace acceptance
