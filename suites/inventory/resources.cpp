#include "suites/inventory/resources.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "suites/inventory/sysfs.h"

namespace acceptance {

std::optional<double> available_memory() {
  std::ifstream in("/proc/meminfo");
  std::optional<double> bytes;
  for (std::string key, unit; in >> key;) {
    double kib = 0;
    in >> kib;
    std::getline(in, unit);
    if (key == "MemAvailable:") bytes = kib * 1024;
  }
  const auto limit = read_number("/sys/fs/cgroup/memory.max");
  const auto used = read_number("/sys/fs/cgroup/memory.current");
  if (bytes && limit && used) bytes = std::min(*bytes, std::max(0.0, *limit - *used));
  return bytes;
}

BoundToCpu::BoundToCpu(int cpu) {
  static_assert(sizeof(Mask) == sizeof(cpu_set_t));
  cpu_set_t old{};
  if (cpu < 0 || cpu >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof old, &old) != 0) return;
  std::memcpy(&before_, &old, sizeof old);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(cpu), &one);
  bound_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
}

BoundToCpu::~BoundToCpu() {
  cpu_set_t old;
  std::memcpy(&old, &before_, sizeof old);
  if (bound_) ::sched_setaffinity(0, sizeof old, &old);
}

}  // namespace acceptance
