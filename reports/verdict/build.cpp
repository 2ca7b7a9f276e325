#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/verdict/differences.h"
#include "reports/verdict/rules.h"

namespace acceptance {
namespace {

std::string without_0x(const std::string& id) { return id.starts_with("0x") ? id.substr(2) : id; }

bool is_gpu(const PciDevice& d, const Catalogue& c) {
  return gpu_of_pci(c, without_0x(d.vendor), without_0x(d.device)) ||
         (d.kind == "display" && without_0x(d.vendor) == "10de") || (d.kind == "accelerator");
}

/// Channels have one slot, two or three; filled alike, all slots are filled, or half, or a third.
void memory_modules(const Node& n, Differences& out) {
  std::size_t filled = 0;
  std::set<std::pair<double, double>> kinds;
  for (const MemorySlot& s : n.memory_slots) {
    if (s.bytes <= 0 || s.kind == "non-volatile") continue;
    ++filled;
    kinds.emplace(s.bytes, s.rate.value_or(0));
  }
  const std::size_t slots = n.memory_slots.size();
  if (filled > 0 && filled != slots && filled * 2 != slots && filled * 3 != slots)
    out.add(n.name, "memory channels", Verdict::remark,
            fmt::format("{} of {} slots are filled: some channels have fewer modules than others",
                        filled, slots),
            "fill all channels alike, as the server's manual says; see dmidecode -t memory");
  if (kinds.size() > 1)
    out.add(n.name, "memory modules", Verdict::remark, "modules differ in size or rate",
            "all run at the slowest one's rate; see dmidecode -t memory");
}

}  // namespace

std::map<std::string, int> gpus_of(const Node& n, const Catalogue& c) {
  std::map<std::string, int> models;
  for (const PciDevice& d : n.pci) {
    if (!is_gpu(d, c)) continue;
    const GpuModel* model = gpu_of_pci(c, without_0x(d.vendor), without_0x(d.device));
    ++models[model ? model->name : without_0x(d.vendor) + ":" + without_0x(d.device)];
  }
  return models;
}

std::vector<Finding> judge_build(const std::vector<Node>& nodes, const Catalogue& catalogue) {
  Differences out("rule.build");
  for (const Node& n : nodes) {
    std::map<int, int> gpus, nics;
    for (const PciDevice& d : n.pci) {
      // A device that rests trains its link down, so that only the width tells; a NIC that is up
      // does not rest.
      if (d.link_width && d.link_width_best && *d.link_width < *d.link_width_best)
        out.add(n.name, "PCIe width", Verdict::remark,
                fmt::format("{} {} runs on {} of {} lanes", d.kind, d.address, *d.link_width,
                            *d.link_width_best),
                "reseat it; see the slot's wiring and the riser");
      else if (d.kind == "network" && d.link_speed && d.link_speed_best &&
               *d.link_speed < *d.link_speed_best)
        out.add(n.name, "PCIe speed", Verdict::remark,
                fmt::format("network {} runs at {:g} of {:g} GT/s", d.address, *d.link_speed * 1e-9,
                            *d.link_speed_best * 1e-9),
                "see the slot's generation, and the link's errors");
      if (d.numa && is_gpu(d, catalogue)) ++gpus[*d.numa];
      if (d.numa && d.kind == "network") ++nics[*d.numa];
    }
    if (nics.empty() || n.numa.size() < 2) continue;
    for (const auto& [domain, count] : gpus)
      if (!nics.contains(domain))
        out.add(n.name, "NIC and GPU", Verdict::remark,
                fmt::format("the {} GPU(s) of NUMA domain {} have no NIC there", count, domain),
                "their traffic crosses the sockets; move a NIC to a slot of that domain");
  }
  for (const Node& n : nodes) memory_modules(n, out);
  for (const Node& n : nodes) {
    double least = 0, most = 0;
    for (const NumaDomain& d : n.numa) {
      if (d.bytes <= 0 || d.cpus.empty()) continue;  // without cores: memory of a GPU, or CXL
      least = least == 0 ? d.bytes : std::min(least, d.bytes);
      most = std::max(most, d.bytes);
    }
    if (least > 0 && least < 0.9 * most)
      out.add(n.name, "memory", Verdict::remark,
              fmt::format(
                  "NUMA domains have {:.0f} to {:.0f} GB: modules are missing or unevenly spread",
                  least / 1e9, most / 1e9),
              "fill all channels alike (dmidecode -t memory)");
  }
  return out.take();
}

}  // namespace acceptance
