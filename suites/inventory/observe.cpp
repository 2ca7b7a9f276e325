#include "suites/inventory/observe.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>
#include <optional>

#include "suites/inventory/sysfs.h"

namespace acceptance {
namespace {

/// Columns of the "cpu" line of /proc/stat in seconds: user nice system idle iowait irq softirq
/// steal.
std::array<double, 8> cpu_times() {
  std::array<double, 8> t{};
  std::ifstream in("/proc/stat");
  std::string word;
  in >> word;
  for (double& v : t) {
    in >> v;
    v /= static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  return t;
}

double own_seconds() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/// Sum over all files; nothing when there is none.
std::optional<double> sum(const std::vector<std::filesystem::path>& folders, const char* file) {
  std::optional<double> total;
  for (const auto& f : folders)
    if (const auto v = read_number(f / file)) total = total.value_or(0) + *v;
  return total;
}

std::optional<double> nic_errors() {
  std::optional<double> total;
  for (const auto& d : entries("/sys/class/net"))
    if (std::filesystem::exists(d / "device"))
      for (const char* counter : {"rx_errors", "tx_errors", "rx_dropped", "tx_dropped"})
        if (const auto v = read_number(d / "statistics" / counter)) total = total.value_or(0) + *v;
  return total;
}

enum class Per {
  run,
  cpu_time
};  // the difference itself, or as a share of all CPU time in between

struct Observer {
  const char* name;
  Per per;
  std::function<std::optional<double>()> read;
};

const std::vector<Observer>& table() {
  static const std::vector<Observer> all{
      {steal_time, Per::cpu_time, [] { return std::optional(cpu_times()[7]); }},
      {foreign_time, Per::cpu_time,
       [] {
         const auto t = cpu_times();
         return std::optional(t[0] + t[1] + t[2] + t[5] + t[6] - own_seconds());
       }},
      {"memory errors corrected", Per::run,
       [] { return sum(entries("/sys/devices/system/edac/mc"), "ce_count"); }},
      {"memory errors uncorrected", Per::run,
       [] { return sum(entries("/sys/devices/system/edac/mc"), "ue_count"); }},
      {"cpu thermal throttle events", Per::run,
       [] {
         return sum(entries("/sys/devices/system/cpu"), "thermal_throttle/core_throttle_count");
       }},
      {"nic errors and drops", Per::run, nic_errors},
  };
  return all;
}

}  // namespace

Observers::Observers() {
  for (const Observer& o : table())
    if (const auto v = o.read()) before_[o.name] = *v;
}

std::vector<Observation> Observers::finish() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  const double cpu_seconds =
      elapsed.count() * static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  std::vector<Observation> seen;
  for (const Observer& o : table()) {
    const auto before = before_.find(o.name);
    const auto after = o.read();
    if (before == before_.end() || !after) continue;
    const double change = std::max(0.0, *after - before->second);
    if (o.per == Per::cpu_time && cpu_seconds > 0)
      seen.push_back({o.name, "", std::min(1.0, change / cpu_seconds), Unit::ratio});
    else if (o.per == Per::run)
      seen.push_back({o.name, "", change, Unit::count});
  }
  return seen;
}

}  // namespace acceptance
