#include "suites/inventory/resources.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "suites/inventory/sysfs.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

/// The folders of this process's control group and its ancestors that hold a controller's files,
/// version 1 or 2.
std::vector<fs::path> control_groups(const std::string& controller) {
  std::vector<fs::path> folders;
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find("," + controller + ",") == std::string::npos) continue;
    const fs::path top = unified ? "/sys/fs/cgroup" : fs::path("/sys/fs/cgroup") / controller;
    fs::path group = fs::path(line.substr(second + 1)).relative_path();
    for (;; group = group.parent_path()) {
      folders.push_back(group.empty() ? top : top / group);
      if (group.empty()) break;
    }
  }
  return folders;
}

/// A value out of a file of "name value" lines.
std::optional<double> entry(const fs::path& file, const std::string& name) {
  std::istringstream in(read_text(file).value_or(""));
  std::string word;
  for (double value = 0; in >> word >> value;)
    if (word == name) return value;
  return std::nullopt;
}

void keep_least(std::optional<double>& least, double value) {
  least = std::min(least.value_or(value), value);
}

std::optional<double> memory_left_in_groups() {
  std::optional<double> least;
  for (const fs::path& g : control_groups("memory")) {
    const bool v2 = fs::exists(g / "memory.max");
    const auto limit = read_number(g / (v2 ? "memory.max" : "memory.limit_in_bytes"));
    const auto used = read_number(g / (v2 ? "memory.current" : "memory.usage_in_bytes"));
    constexpr double no_limit = 1e18;  // version 1 writes a huge number
    if (!limit || !used || *limit > no_limit) continue;
    const double reclaimable =
        entry(g / "memory.stat", v2 ? "inactive_file" : "total_inactive_file").value_or(0);
    keep_least(least, std::max(0.0, *limit - *used + reclaimable));
  }
  return least;
}

}  // namespace

std::optional<double> available_memory() {
  std::ifstream in("/proc/meminfo");
  std::optional<double> bytes;
  for (std::string key, unit; in >> key;) {
    double kib = 0;
    in >> kib;
    std::getline(in, unit);
    if (key == "MemAvailable:") bytes = kib * 1024;
  }
  if (const auto left = memory_left_in_groups()) keep_least(bytes, *left);
  return bytes;
}

std::optional<double> cpu_quota() {
  std::optional<double> least;
  for (const fs::path& g : control_groups("cpu")) {
    std::istringstream both(read_text(g / "cpu.max").value_or(""));
    double quota = 0, period = 0;
    if (both >> quota >> period && period > 0) keep_least(least, quota / period);
    const auto old_quota = read_number(g / "cpu.cfs_quota_us"),
               old_period = read_number(g / "cpu.cfs_period_us");
    if (old_quota && old_period && *old_quota > 0 && *old_period > 0)
      keep_least(least, *old_quota / *old_period);
  }
  return least;
}

BoundToCpu::BoundToCpu(int cpu) {
  if (cpu < 0 || static_cast<std::size_t>(cpu) >= most_cpus) return;
  if (::sched_getaffinity(0, sizeof before_, reinterpret_cast<cpu_set_t*>(before_.data())) != 0)
    return;
  Mask one{};
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  one[static_cast<std::size_t>(cpu) / bits] = 1UL << (static_cast<std::size_t>(cpu) % bits);
  bound_ = ::sched_setaffinity(0, sizeof one, reinterpret_cast<const cpu_set_t*>(one.data())) == 0;
}

BoundToCpu::~BoundToCpu() {
  if (bound_)
    ::sched_setaffinity(0, sizeof before_, reinterpret_cast<const cpu_set_t*>(before_.data()));
}

}  // namespace acceptance
