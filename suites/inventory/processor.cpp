#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "suites/inventory/clock.h"
#include "suites/inventory/probe.h"
#include "suites/inventory/resources.h"
#include "suites/inventory/sysfs.h"

namespace acceptance {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw std::runtime_error("hwloc_topology_init failed");
  Topology t(raw);
  // The machine as it is, also what a control group withholds from this process.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0)
    throw std::runtime_error(fmt::format("hwloc_topology_load: {}", std::strerror(errno)));
  return t;
}

std::string info(hwloc_obj_t object, const char* name) {
  const char* text = object ? hwloc_obj_get_info_by_name(object, name) : nullptr;
  std::string found = text ? text : "";
  found.erase(found.find_last_not_of(' ') + 1);  // processors fill their names up to 48 letters
  return found;
}

std::optional<int> whole(const std::string& text) {
  try {
    return text.empty() ? std::nullopt : std::optional(std::stoi(text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string list(hwloc_const_cpuset_t set) {
  std::array<char, 1024> text{};
  hwloc_bitmap_list_snprintf(text.data(), text.size(), set);
  return text.data();
}

void read_caches(hwloc_topology_t t, Cpu& cpu) {
  constexpr std::array<std::pair<hwloc_obj_type_t, int>, 4> kinds{{{HWLOC_OBJ_L1CACHE, 1},
                                                                   {HWLOC_OBJ_L2CACHE, 2},
                                                                   {HWLOC_OBJ_L3CACHE, 3},
                                                                   {HWLOC_OBJ_L4CACHE, 4}}};
  // Where the kernel tells nothing of the caches, hwloc asks the processor itself, and old AMD
  // leaves (8000_0006h) give a socket's third level whole, without telling who shares it: hwloc
  // then shows it once a core.
  const bool sharing_known = std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache/index0");
  for (const auto& [kind, level] : kinds)
    if (hwloc_obj_t first = hwloc_get_obj_by_type(t, kind, 0)) {
      const int count = hwloc_get_nbobjs_by_type(t, kind);
      cpu.caches.push_back({level, static_cast<double>(first->attr->cache.size),
                            level < 3 || sharing_known ? count : std::min(count, cpu.sockets)});
    }
}

void read_numa(hwloc_topology_t t, Node& node) {
  for (hwloc_obj_t n = nullptr; (n = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, n));)
    node.numa.push_back({static_cast<int>(n->os_index), list(n->cpuset),
                         static_cast<double>(n->attr->numanode.local_memory)});
}

struct BitmapDeleter {
  void operator()(hwloc_bitmap_s* b) const { hwloc_bitmap_free(b); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

/// One logical CPU per core, of those this process is bound to (by taskset, a scheduler, a
/// container).
std::vector<int> usable_cpus(hwloc_topology_t t) {
  const Bitmap bound(hwloc_bitmap_alloc()), here(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(t, bound.get(), HWLOC_CPUBIND_PROCESS) != 0) hwloc_bitmap_fill(bound.get());
  std::vector<int> cpus;
  // Some virtual machines show no cores, only processing units.
  for (const hwloc_obj_type_t kind : {HWLOC_OBJ_CORE, HWLOC_OBJ_PU})
    if (cpus.empty())
      for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, kind, o));) {
        hwloc_bitmap_and(here.get(), o->cpuset, bound.get());
        if (const int first = hwloc_bitmap_first(here.get()); first >= 0) cpus.push_back(first);
      }
  return cpus;
}

#if defined(__x86_64__)
/// The hypervisor's own signature (CPUID leaf 0x40000000); nothing on bare metal.
std::optional<std::string> hypervisor() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 31))) return std::nullopt;
  __cpuid(0x40000000, a, b, c, d);
  std::array<char, 13> text{};
  std::memcpy(text.data(), &b, 4);
  std::memcpy(text.data() + 4, &c, 4);
  std::memcpy(text.data() + 8, &d, 4);
  return text[0] ? std::string(text.data()) : "unnamed hypervisor";
}
#else
std::optional<std::string> hypervisor() { return std::nullopt; }
#endif

void read_features(Cpu& cpu) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    if (line.starts_with("microcode") && !cpu.microcode) {
      const std::string value = line.substr(std::min(colon + 2, line.size()));
      // Hypervisors show made-up revisions; those say nothing.
      if (value != "0x1" && value != "0xffffffff") cpu.microcode = value;
    }
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;)
      for (const char* asked :
           {"sse2", "avx", "avx2", "fma", "avx512f", "avx512_bf16", "amx_tile", "asimd", "sve"})
        if (word == asked) cpu.features.push_back(word);
    break;
  }
}

double read_number_after(const char* file, const std::string& key) {
  std::ifstream in(file);
  double value = 0;
  for (std::string word; in >> word;)
    if (word == key && in >> value) return value;
  return 0;
}

std::optional<double> kilohertz(const char* file) {
  const auto khz =
      read_number(std::filesystem::path("/sys/devices/system/cpu/cpu0/cpufreq") / file);
  return khz ? std::optional(*khz * 1e3) : std::nullopt;
}

}  // namespace

void probe_processor(Node& node) {
  const Topology topology = load_topology();
  hwloc_topology_t t = topology.get();
  Cpu& cpu = node.cpu;
  hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
  cpu.model = info(package, "CPUModel");
  cpu.vendor = info(package, "CPUVendor");
  cpu.family = whole(info(package, "CPUFamilyNumber"));
  cpu.model_number = whole(info(package, "CPUModelNumber"));
  cpu.stepping = whole(info(package, "CPUStepping"));
  cpu.sockets = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE);
  cpu.cores = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);
  cpu.threads = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
  cpu.usable = usable_cpus(t);
  cpu.quota = cpu_quota();
  if (cpu.quota && *cpu.quota < static_cast<double>(cpu.usable.size()))
    cpu.usable.resize(static_cast<std::size_t>(std::max(1.0, std::floor(*cpu.quota))));
  cpu.hypervisor = hypervisor();
  read_caches(t, cpu);
  read_numa(t, node);
  read_features(cpu);
  // Not hwloc's sum over NUMA nodes: with memory plugged in later some kernels count only what was
  // there at boot.
  node.memory_bytes = read_number_after("/proc/meminfo", "MemTotal:") * 1024;

  cpu.max_hz = kilohertz("cpuinfo_max_freq");
  cpu.base_hz = kilohertz("base_frequency");
  cpu.governor = read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  {
    // Where the tests of one core run: cores of one machine can differ.
    const BoundToCpu bound(cpu.usable.empty() ? -1 : cpu.usable[0]);
    cpu.measured_hz = measure_clock();
  }
#if !defined(__x86_64__)
  node.unknown["cpu.hypervisor"] = "only x86-64 processors say whether they are virtual";
#endif
  if (!cpu.max_hz) node.unknown["cpu.max_hz"] = "not offered by this machine (no cpufreq)";
  if (!cpu.governor) node.unknown["cpu.governor"] = "not offered by this machine (no cpufreq)";
  if (!cpu.microcode) node.unknown["cpu.microcode"] = "hidden by the hypervisor or not reported";
}

}  // namespace acceptance
