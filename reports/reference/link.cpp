#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "reports/reference/derive.h"

namespace acceptance {
namespace {

const GpuModel* gpu_of(const Catalogue& c, const Setup& s) {
  const auto found = c.gpus.find(s.gpu);
  return found == c.gpus.end() ? nullptr : &found->second;
}

// Transfers per second and lane, and the share the encoding leaves: 8b/10b, then 128b/130b, then
// flits of 256 B with 236 B for packets.
struct Generation {
  double transfers, encoding;
};
constexpr std::array<Generation, 6> generations{{{2.5e9, 0.8},
                                                 {5e9, 0.8},
                                                 {8e9, 128.0 / 130},
                                                 {16e9, 128.0 / 130},
                                                 {32e9, 128.0 / 130},
                                                 {64e9, 236.0 / 256}}};
// A packet of 512 B payload, the largest in common use, and 24 B of header, framing and check.
constexpr double payload = 512, overhead = 24;

}  // namespace

double pcie_payload_rate(int generation, int lanes) {
  if (generation < 1 || generation > static_cast<int>(generations.size()) || lanes < 1)
    throw std::invalid_argument(
        fmt::format("PCIe has no generation {} with {} lanes", generation, lanes));
  const Generation& g = generations.at(static_cast<std::size_t>(generation) - 1);
  return g.transfers / 8 * lanes * g.encoding * payload / (payload + overhead);
}

std::optional<Model> host_copy_rate(const Catalogue& c, const Setup& s) {
  const GpuModel* gpu = gpu_of(c, s);
  if (!gpu || !gpu->host) return std::nullopt;
  const HostLink& host = *gpu->host;
  Model m;
  m.sources = {host.source};
  if (host.kind == "pcie") {
    m.limit = pcie_payload_rate(host.generation, host.lanes);
    m.formula = fmt::format("PCIe {}.0 x{}, less encoding and {} B per {} B packet",
                            host.generation, host.lanes, overhead, payload);
    m.families = {"copies over PCIe"};
    m.sources.push_back("PCIE");
  } else {
    m.limit = host.one_way;
    m.formula = fmt::format("{}, one direction", host.kind);
    m.families = {"copies over " + host.kind};
  }
  m.ceiling = m.limit;
  return m;
}

std::string doubt_of_links(const GpuModel& gpu, const Setup& s) {
  if (!gpu.link) return "";
  if (gpu.link->topology == "bridge") return "bridges are optional, and join two cards or four";
  const PeerLink& link = *gpu.link;
  const bool of_several_nodes = s.domain > s.gpus;
  if (link.topology == "switch" && s.gpus >= 2 && s.gpus <= 4 && !of_several_nodes)
    return "boards of four join their GPUs without a switch, each pair by a part of the links";
  const int full = link.kind == "nvlink" ? 8 : link.count + 1;
  if (link.topology == "mesh" && s.gpus >= 2 && s.gpus < full)
    return "on a board that is not full each GPU has a part of its links";
  return "";
}

std::optional<Model> peer_copy_rate(const Catalogue& c, const Setup& s) {
  const GpuModel* gpu = gpu_of(c, s);
  if (!gpu || (!gpu->link && !gpu->host)) return std::nullopt;
  const bool both = s.direction == "both";
  Model m;
  if (!gpu->link) {
    if (gpu->host->kind != "pcie") return std::nullopt;
    m.limit = pcie_payload_rate(gpu->host->generation, gpu->host->lanes) * (both ? 2 : 1);
    m.formula = fmt::format("PCIe {}.0 x{}{}", gpu->host->generation, gpu->host->lanes,
                            both ? ", both directions" : "");
    m.families = {"copies between GPUs over PCIe"};
    m.no_floor = "how the GPUs sit on PCIe switches decides";
    m.sources = {gpu->host->source, "PCIE"};
  } else {
    const PeerLink& link = *gpu->link;
    const bool mesh = link.topology == "mesh";
    const int peers = mesh ? std::max(1, link.kind == "nvlink" ? 1 : link.count) : 1;
    m.limit = (both ? link.both_ways : link.one_way) / peers;
    m.formula = fmt::format("{} of {}, {}{}", link.kind, gpu->name,
                            both ? "both directions" : "one direction",
                            peers > 1 ? fmt::format(", over {} peers", peers) : "");
    m.families = {fmt::format("{} between two GPUs, {}", link.kind,
                              both ? "both directions" : "one direction")};
    m.sources = {link.source};
    if (!link.gates) m.no_floor = "its links' rate only informs";
    if (const std::string doubt = doubt_of_links(*gpu, s); !doubt.empty()) {
      m.no_floor = doubt;
      m.families.clear();
    }
    if (mesh && link.kind == "nvlink")
      m.no_floor = "how many links join a pair depends on the board";
  }
  m.ceiling = m.limit;
  return m;
}

}  // namespace acceptance
