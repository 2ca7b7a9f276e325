#include <fmt/format.h>

#include "runner/launch/simulated.h"

namespace acceptance {
namespace {

constexpr const char* usual_firmware = "28.43.2026";

std::string firmware_of(const std::string& node, const Simulated& is) {
  for (const Fault& f : is.faults)
    if (!f.firmware.empty() && f.here.contains(node)) return f.firmware;
  return usual_firmware;
}

void add_port(Node& n, const std::string& name, const std::string& rdma, double rate,
              const std::string& firmware) {
  Nic nic;
  nic.name = name;
  nic.rdma = rdma;
  nic.driver = "simulated";
  nic.state = "up";
  nic.physical = true;
  if (rate > 0) nic.speed = rate;
  nic.firmware = firmware;
  n.nics.push_back(std::move(nic));
}

void add_gpus(Node& n, const NodeGroup& g, const Catalogue& catalogue) {
  const auto model = catalogue.gpus.find(g.gpu);
  if (model == catalogue.gpus.end() || model->second.pci.empty()) return;
  const std::string& id = model->second.pci[0];
  for (int i = 0; i < g.gpus; ++i) {
    PciDevice d;
    d.address = fmt::format("0000:{:02x}:00.0", 16 + i);
    d.vendor = id.substr(0, 4);
    d.device = id.substr(id.size() - 4);
    d.kind = "gpu";
    n.pci.push_back(std::move(d));
  }
}

}  // namespace

Node made_up(const std::string& name, const Simulated& is, const Cluster* cluster,
             const Catalogue* catalogue) {
  Node n;
  n.name = n.hostname = name;
  n.boot_id = "simulated-" + name;
  n.cpu.model = "simulated";
  n.cpu.sockets = 2;
  n.cpu.cores = 64;
  n.memory_bytes = 1e12;
  n.system["product_name"] = "simulated";
  const NodeGroup* g = cluster ? group_of(*cluster, name) : nullptr;
  const std::string firmware = firmware_of(name, is);
  if (!g) {
    add_port(n, "eth0", "", 0, firmware);
  } else {
    if (!g->cpu.empty()) n.cpu.model = g->cpu;
    if (g->sockets > 0) n.cpu.sockets = g->sockets;
    if (g->cores > 0) n.cpu.cores = g->cores;
    if (g->memory > 0) n.memory_bytes = g->memory;
    for (int i = 0; i < g->drives; ++i) n.drives.emplace_back().name = fmt::format("nvme{}n1", i);
    for (std::size_t i = 0; i < g->rails.size(); ++i) {
      const std::string& device = g->rails[i].device;
      const std::string rdma = device.empty() ? fmt::format("mlx5_{}", i) : device;
      add_port(n, fmt::format("rail{}", i), rdma, g->rails[i].rate, firmware);
      if (cluster->fabric.kind == "ethernet") continue;
      n.rdma.push_back({rdma, cluster->fabric.kind == "roce" ? "Ethernet" : "InfiniBand", "ACTIVE",
                        fmt::format("{:.0f} Gb/sec", g->rails[i].rate * 8e-9), firmware, 1});
    }
    for (const auto& [use, port] : g->networks)
      if (!port.device.empty()) add_port(n, port.device, "", port.rate, firmware);
    for (const auto& [what, version] : g->versions) n.software[what] = version;
    if (catalogue) add_gpus(n, *g, *catalogue);
  }
  n.cpu.threads = n.cpu.cores;
  for (int i = 0; i < n.cpu.cores; ++i) n.cpu.usable.push_back(i);
  return n;
}

}  // namespace acceptance
