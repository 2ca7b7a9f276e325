#include "runner/worker/sweep.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "runner/worker/link.h"
#include "suites/core/state.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto die_within = 60s;  // pinned memory and dirty pages can take their time

/// Host names live in UTS namespaces: processes of another one belong to another host, even where
/// they can be seen.
fs::path host_of(const fs::path& process) {
  std::error_code ignored;
  return fs::read_symlink(process / "ns/uts", ignored);
}

std::vector<std::string> words_of(const fs::path& process) {
  std::ifstream in(process / "cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

bool is_worker_of(const std::string& run, const fs::path& process) {
  const std::vector<std::string> words = words_of(process);
  const auto at = std::find(words.begin(), words.end(), "--run");
  const bool sweeps = std::find(words.begin(), words.end(), "--sweep") != words.end();
  return words.size() > 1 && words[1] == "worker" && !sweeps && at != words.end() &&
         at + 1 != words.end() && at[1] == run;
}

std::vector<pid_t> workers_of(const std::string& run) {
  std::vector<pid_t> found;
  const fs::path here = host_of("/proc/self");
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto id = static_cast<pid_t>(std::stol(name));
    if (id != ::getpid() && is_worker_of(run, it->path()) && host_of(it->path()) == here)
      found.push_back(id);
  }
  return found;
}

}  // namespace

std::vector<std::string> sweep(const std::string& run, const std::string& node,
                               const std::string& target) {
  std::vector<pid_t> left = workers_of(run);
  for (const pid_t id : left) ::kill(id, SIGKILL);
  const auto begin = std::chrono::steady_clock::now();
  while (!left.empty() && std::chrono::steady_clock::now() < begin + die_within) {
    std::this_thread::sleep_for(20ms);
    left = workers_of(run);
  }
  if (!target.empty()) remove_scratch(scratch_of(target, run, node));
  std::vector<std::string> said;
  for (const pid_t id : left)
    said.push_back(fmt::format("process {} can't be killed: the node needs a reboot", id));
  return said;
}

}  // namespace acceptance
