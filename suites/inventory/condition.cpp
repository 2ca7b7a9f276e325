#include <sys/resource.h>
#include <sys/statvfs.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "suites/inventory/probe.h"
#include "suites/inventory/sysfs.h"

namespace acceptance {
namespace {

std::optional<double> soft_limit(int which) {
  rlimit r{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(which), &r) != 0 || r.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return static_cast<double>(r.rlim_cur);
}

struct CpuTime {
  double all = 0, idle = 0;  // in the kernel's ticks
};
std::optional<CpuTime> cpu_time() {
  std::ifstream in("/proc/stat");
  std::string word;
  if (!(in >> word) || word != "cpu") return std::nullopt;
  CpuTime t;
  constexpr int user_to_steal = 8, idle = 3, waiting_for_disk = 4;
  for (int i = 0; i < user_to_steal; ++i) {
    double ticks = 0;
    if (!(in >> ticks)) return std::nullopt;
    t.all += ticks;
    if (i == idle || i == waiting_for_disk) t.idle += ticks;
  }
  return t;
}

/// Cores kept busy by others: by everybody, while this process sleeps.
std::optional<double> busy_cores() {
  constexpr auto look = std::chrono::milliseconds(250);
  const auto before = cpu_time();
  std::this_thread::sleep_for(look);
  const auto after = cpu_time();
  if (!before || !after || after->all <= before->all) return std::nullopt;
  const double share = 1 - (after->idle - before->idle) / (after->all - before->all);
  return share * static_cast<double>(std::thread::hardware_concurrency());
}

struct Space {
  double size, free;
};
std::optional<Space> space_of(const std::filesystem::path& folder) {
  struct statvfs v {};
  if (::statvfs(folder.c_str(), &v) != 0) return std::nullopt;
  const auto block = static_cast<double>(v.f_frsize);
  return Space{block * static_cast<double>(v.f_blocks), block * static_cast<double>(v.f_bavail)};
}

}  // namespace

void probe_condition(Node& node) {
  Condition& c = node.condition;
  c.load = busy_cores();
  c.locked_memory = soft_limit(RLIMIT_MEMLOCK);
  c.open_files = soft_limit(RLIMIT_NOFILE);
  if (const auto s = space_of("/dev/shm"))
    c.shared_memory = s->size;
  else
    node.unknown["shared memory"] = "/dev/shm can't be read";
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  if (const auto s = error ? std::nullopt : space_of(temporary)) c.temporary_free = s->free;
}

}  // namespace acceptance
