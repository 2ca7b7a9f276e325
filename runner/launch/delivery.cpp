#include "runner/launch/delivery.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/run_files.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t at_once = 32;
constexpr double command_seconds = 60, copy_seconds = 600;

/// Runs one command per node; those that go wrong drop out of `nodes` and are noted.
std::vector<Answer> on_all(std::vector<std::string>& nodes,
                           std::map<std::string, std::string>& wrong, double seconds,
                           const std::function<Command(const std::string&)>& command) {
  std::vector<Command> commands;
  for (const std::string& n : nodes) commands.push_back(command(n));
  const std::vector<Answer> all = ask_all(commands, at_once, seconds);
  std::vector<std::string> still;
  std::vector<Answer> good;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (all[i].ok()) {
      still.push_back(nodes[i]);
      good.push_back(all[i]);
    } else {
      wrong[nodes[i]] = "the program could not be brought there: " + all[i].said();
    }
  nodes = std::move(still);
  return good;
}

}  // namespace

std::vector<fs::path> install_tree(const fs::path& program) {
  std::vector<fs::path> files{program};
  for (const auto& entry : fs::directory_iterator(program.parent_path())) {
    const std::string name = entry.path().filename().string();
    const bool module = name.starts_with("accept_") && name.ends_with(".so");
    const bool library = name.starts_with("lib") && name.find(".so") != std::string::npos;
    if (entry.is_regular_file() && (module || library)) files.push_back(entry.path());
  }
  std::sort(files.begin() + 1, files.end());
  return files;
}

Command on_node(const Delivery& d, const std::string& node, const std::vector<std::string>& words) {
  Command c;
  if (!d.job.empty()) {
    c.words = {"srun",      "--jobid=" + d.job, "--nodes=1", "--ntasks=1", "--nodelist=" + node,
               "--overlap", "--no-kill",        "--mem=0",   "--chdir=/",  "--input=none",
               "--mpi=none"};
    c.words.insert(c.words.end(), words.begin(), words.end());
    return c;
  }
  std::vector<std::string> remote;
  for (const std::string& w : words) remote.push_back(quote_for_shell(w));
  c.words = {"ssh"};
  for (std::string& w : ssh_words(d.ssh)) c.words.push_back(std::move(w));
  c.words.insert(c.words.end(), {"--", node, fmt::format("{}", fmt::join(remote, " "))});
  return c;
}

Command copy_by_scp(const Delivery& d, const std::string& node) {
  Command c;
  c.words = {"scp", "-q", "-p"};
  for (std::string& w : ssh_words(d.ssh)) c.words.push_back(std::move(w));
  c.words.push_back("--");
  for (const fs::path& f : d.files) c.words.push_back(f.string());
  c.words.push_back(fmt::format("{}:{}/", node, d.folder));
  return c;
}

Command copy_by_sbcast(const Delivery& d, const fs::path& file) {
  return {{"sbcast", "--jobid=" + d.job, "--preserve", "--force", file.string(),
           d.folder + "/" + file.filename().string()},
          {}};
}

std::map<std::string, std::string> deliver(const Delivery& d, const std::vector<std::string>& to) {
  std::map<std::string, std::string> wrong;
  std::vector<std::string> nodes = to;
  take_away(d, nodes);  // of an earlier session of this run
  on_all(nodes, wrong, command_seconds, [&](const std::string& n) {
    return on_node(d, n, {"mkdir", "-m", "700", "--", d.folder});
  });
  if (d.job.empty())
    on_all(nodes, wrong, copy_seconds, [&](const std::string& n) { return copy_by_scp(d, n); });
  else  // what fails here shows in the digests, node by node
    for (const fs::path& f : d.files) ask(copy_by_sbcast(d, f), copy_seconds);
  std::vector<std::string> check{"sha256sum", "--"};
  std::string expected;
  for (const fs::path& f : d.files) {
    const std::string there = d.folder + "/" + f.filename().string();
    constexpr std::size_t after_name = 7;  // "sha256:"
    check.push_back(there);
    expected += fmt::format("{}  {}\n", digest(f).substr(after_name), there);
  }
  const std::vector<Answer> digests =
      on_all(nodes, wrong, command_seconds, [&](const auto& n) { return on_node(d, n, check); });
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (digests[i].output.find(expected) == std::string::npos)
      wrong[nodes[i]] = "the program arrived there changed: " + digests[i].said();
  return wrong;
}

void take_away(const Delivery& d, const std::vector<std::string>& nodes) {
  std::vector<Command> commands;
  for (const std::string& n : nodes)
    commands.push_back(on_node(d, n, {"rm", "-rf", "--", d.folder}));
  ask_all(commands, at_once, command_seconds);
}

}  // namespace acceptance
