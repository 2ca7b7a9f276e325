#include <fmt/format.h>

#include "reports/reference/derive.h"

namespace acceptance {
namespace {

// Bytes around 4096 B of payload. RoCE v2: Ethernet 18, preamble and gap 20, IP 20, UDP 8, BTH 12,
// ICRC 4. InfiniBand: LRH 8, BTH 12, ICRC 4, VCRC 2.
constexpr double rdma_payload = 4096, roce_overhead = 82, infiniband_overhead = 26;
// TCP in jumbo frames: 8948 B of 9038 on the wire; at an MTU of 1500, 1448 of 1538.
constexpr double jumbo_share = 8948.0 / 9038, standard_share = 1448.0 / 1538;

// NVIDIA's certification (NGC): 0.9 of the port's rate; 2.5 us write and send, 4.5 us read, over
// one switch.
constexpr double least_rdma_share = 0.9;
constexpr double most_write_seconds = 2.5e-6, most_read_seconds = 4.5e-6;

// A hop with its cable (ZARATAN, HDR: 220 to 300 ns); an adapter's port (STASN, EDR: 500 ns).
constexpr double hop_seconds = 240e-9, most_hop_seconds = 300e-9, port_seconds = 500e-9;

}  // namespace

std::optional<Model> rdma_rate(const Setup& s) {
  if (s.rate <= 0) return std::nullopt;
  const bool both = s.direction == "both";
  const double overhead = s.fabric == "infiniband" ? infiniband_overhead : roce_overhead;
  const double rate = s.rate * (both ? 2 : 1);
  Model m;
  m.limit = rate * rdma_payload / (rdma_payload + overhead);
  m.formula =
      fmt::format("{}{} × {} / {} (headers of {})", rate_text(s.rate), both ? " × 2" : "",
                  rdma_payload, rdma_payload + overhead, s.fabric.empty() ? "RoCE" : s.fabric);
  m.ceiling = m.limit;
  m.families = {"RDMA bandwidth"};
  m.sources = {"NGC"};
  if (s.message > 0 && s.message < 64 * 1024) {
    m.no_floor = "messages below 64 KiB are bound by their rate, not by the wire";
    m.families.clear();
  } else if (s.memory == "gpu") {
    m.no_floor = "device memory: nothing general is published";
  } else {
    m.floor = rate * least_rdma_share;
    m.floor_formula = fmt::format("{} × the port's rate (NGC)", least_rdma_share);
  }
  return m;
}

std::optional<Model> rdma_latency(const Setup& s) {
  if (s.fabric.empty() || (s.message > 64)) return std::nullopt;
  const int hops = std::max(1, s.hops);
  const bool read = s.test == "interconnect.rdma_read_latency";
  Model m;
  m.lower_is_better = true;
  m.limit = (2 * port_seconds + hops * hop_seconds) * (read ? 2 : 1);
  m.formula =
      fmt::format("{}(2 ports × {} + {} hops × {})", read ? "2 × " : "",
                  format(port_seconds, Unit::seconds), hops, format(hop_seconds, Unit::seconds));
  m.ceiling = port_seconds;
  m.ceiling_formula = "one port's latency alone";
  m.sources = {"STASN", "ZARATAN"};
  if (s.fabric != "infiniband") {
    m.no_floor = "RoCE switches differ several times over in latency";
    return m;
  }
  m.families = {"RDMA latency over InfiniBand"};
  m.floor = (read ? most_read_seconds : most_write_seconds) +
            (hops - 1) * most_hop_seconds * (read ? 2 : 1);
  m.floor_formula =
      fmt::format("{} over one switch (NGC), and {} for each further hop",
                  format(read ? most_read_seconds : most_write_seconds, Unit::seconds),
                  format(most_hop_seconds, Unit::seconds));
  m.sources.push_back("NGC");
  return m;
}

std::optional<Model> tcp_rate(const Setup& s) {
  if (s.rate <= 0) return std::nullopt;
  Model m;
  m.limit = s.rate * standard_share;
  m.formula = fmt::format("{} × 1448 / 1538 (MTU 1500)", rate_text(s.rate));
  m.ceiling = s.rate * jumbo_share;
  m.ceiling_formula = "8948 / 9038 of the rate (MTU 9000)";
  m.sources = {"IEEE8023"};
  // What is published are 16 and 20 streams over 100 Gbit/s; one stream takes a core for 35 to 40.
  constexpr double most_published = 12.5e9 * 1.01;
  constexpr int least_streams = 16;
  if (s.streams == 1)
    m.no_floor = "one stream is bound by a core, not by the link";
  else
    m.families = {"TCP in several streams"};
  if (s.streams != 1 && (s.streams < least_streams || s.rate > most_published))
    m.no_floor = "nothing is published for so few streams, or so fast a link";
  return m;
}

std::optional<Model> sequential_rate(const Setup& s) {
  Model m;
  if (s.link.starts_with("nvme-")) {
    const int generation = s.link.back() - '0';
    const int drives = std::max(1, s.rails);
    m.limit = drives * pcie_payload_rate(generation, 4);
    m.formula = fmt::format("{} drive(s) on PCIe {}.0 x4", drives, generation);
    m.families = {"reading NVMe drives"};
    m.sources = {"PCIE"};
    m.no_floor = "a drive's own rate is in no catalogue; put the promised one into the contract";
  } else if (s.link == "network" && s.rate > 0) {
    m.limit = s.rate;
    m.formula = fmt::format("network port of {}", rate_text(s.rate));
    m.families = {"reading over the network"};
    m.no_floor =
        "what a storage service gives one client is its own promise; put it into the contract";
  } else {
    return std::nullopt;
  }
  if (s.direction == "write") m.families.clear();
  m.ceiling = m.limit;
  return m;
}

}  // namespace acceptance
