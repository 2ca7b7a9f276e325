#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <mntent.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>

#include "suites/core/state.h"
#include "suites/core/unit.h"
#include "suites/inventory/probe.h"
#include "suites/inventory/sysfs.h"
#include "suites/vendor/blas.h"

namespace acceptance {
namespace {

void probe_board(Node& node) {
  constexpr std::array<const char*, 9> facts{"sys_vendor",   "product_name", "product_serial",
                                             "board_vendor", "board_name",   "board_serial",
                                             "bios_vendor",  "bios_version", "bios_date"};
  for (const char* fact : facts)
    if (auto text = read_fact(fmt::format("/sys/class/dmi/id/{}", fact), fact, node.unknown))
      node.system[fact] = *text;
}

void probe_os(Node& node) {
  utsname u{};
  if (::uname(&u) == 0) {
    node.system["kernel"] = fmt::format("{} {}", u.sysname, u.release);
    node.system["architecture"] = u.machine;
  }
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);)
    if (line.starts_with("PRETTY_NAME=")) {
      std::string name = line.substr(12);
      std::erase(name, '"');
      node.system["os"] = name;
    }
}

void probe_software(Node& node) {
  node.software["glibc"] = ::gnu_get_libc_version();
  try {
    node.software["openblas"] = blas().config();
  } catch (const Skip& reason) {
    node.unknown["openblas"] = reason.what();
  }
  if (auto driver = read_text("/proc/driver/nvidia/version"))
    node.software["nvidia driver"] = driver->substr(0, driver->find('\n'));
  for (const char* module : {"mlx5_core", "rdma_rxe", "nvidia_peermem", "lustre", "nvme"})
    if (auto version = read_text(fmt::format("/sys/module/{}/version", module)))
      node.software[module] = *version;
}

std::string limit(int which, Unit unit) {
  rlimit r{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(which), &r) != 0) return "unknown";
  return r.rlim_cur == RLIM_INFINITY ? "unlimited" : format(static_cast<double>(r.rlim_cur), unit);
}

void probe_limits(Node& node) {
  node.limits["locked memory"] = limit(RLIMIT_MEMLOCK, Unit::bytes);
  node.limits["open files"] = limit(RLIMIT_NOFILE, Unit::count);
  node.limits["stack"] = limit(RLIMIT_STACK, Unit::bytes);
  if (node.cpu.quota) node.limits["cpu quota"] = fmt::format("{:g} cores", *node.cpu.quota);
  if (auto thp = read_text("/sys/kernel/mm/transparent_hugepage/enabled"))
    node.limits["transparent huge pages"] = *thp;
}

void probe_mounts(Node& node) {
  const std::unique_ptr<FILE, int (*)(FILE*)> table(::setmntent("/proc/self/mounts", "r"),
                                                    ::endmntent);
  if (!table) return;
  static const std::set<std::string> pseudo{
      "proc",       "sysfs",  "devtmpfs", "devpts",      "cgroup",     "cgroup2",  "pstore",
      "bpf",        "mqueue", "debugfs",  "tracefs",     "configfs",   "fusectl",  "hugetlbfs",
      "securityfs", "autofs", "nsfs",     "binfmt_misc", "rpc_pipefs", "efivarfs", "ramfs"};
  mntent entry{};
  std::array<char, 4096> text{};
  while (::getmntent_r(table.get(), &entry, text.data(), static_cast<int>(text.size())))
    if (!pseudo.contains(entry.mnt_type))
      node.mounts.push_back({entry.mnt_dir, entry.mnt_fsname, entry.mnt_type, entry.mnt_opts});
}

}  // namespace

void probe_system(Node& node) {
  probe_board(node);
  probe_os(node);
  probe_software(node);
  probe_limits(node);
  probe_mounts(node);
}

}  // namespace acceptance
