#include <fmt/format.h>

#include <algorithm>

#include "reports/reference/reference.h"

namespace acceptance {
namespace {

// Two 64-byte loads and one 64-byte store a cycle: the widest load/store units of any server core
// so far.
constexpr double most_bytes_per_cycle = 192;
constexpr const char* core_source =
    "two 64 B loads and one 64 B store a cycle, Intel 64 optimization manual (order number "
    "248966), section on "
    "the L1 data cache";

std::optional<Reference> core_limit(const Evidence& evidence, double cores,
                                    double bytes_per_cycle) {
  const auto clock = evidence.core_clock ? evidence.core_clock : evidence.node->cpu.measured_hz;
  if (!clock || cores <= 0) return std::nullopt;
  Reference r;
  r.ceiling = cores * *clock * bytes_per_cycle;
  r.derivation =
      fmt::format("ceiling {} = {} cores × {} measured × {} B a cycle between core and cache",
                  format(*r.ceiling, Unit::bytes_per_second), cores, format(*clock, Unit::hertz),
                  bytes_per_cycle);
  r.source = core_source;
  return r;
}

/// All modules at once. An upper bound: where two share a channel they also share its rate.
std::optional<Reference> modules_limit(const Node& node) {
  constexpr double channel_bits = 64;
  if (node.virtual_machine() || node.memory_slots.empty()) return std::nullopt;
  double rate = 0, modules = 0, fastest = 0;
  for (const MemorySlot& s : node.memory_slots) {
    if (s.bytes <= 0) continue;
    // Soldered memory is told as one module of many channels.
    if (!s.kind.starts_with("DDR") || !s.rate || s.bits.value_or(0) != channel_bits)
      return std::nullopt;
    rate += *s.rate * channel_bits / 8;
    fastest = std::max(fastest, *s.rate);
    ++modules;
  }
  if (rate <= 0) return std::nullopt;
  Reference r;
  r.ceiling = rate;
  r.derivation =
      fmt::format("ceiling {} = {} modules × up to {:.0f} MT/s × {:.0f} bit",
                  format(rate, Unit::bytes_per_second), modules, fastest / 1e6, channel_bits);
  r.source = "the firmware's memory device structures (SMBIOS, DMTF DSP0134)";
  return r;
}

}  // namespace

std::optional<Reference> memory_rate(const Evidence& evidence) {
  const auto cores = core_limit(evidence, evidence.threads.value_or(evidence.node->cpu.cores),
                                most_bytes_per_cycle);
  const auto modules = modules_limit(*evidence.node);
  if (!cores || !modules) return cores ? cores : modules;
  return *modules->ceiling < *cores->ceiling ? modules : cores;
}

std::optional<Reference> local_message_rate(const Evidence& evidence) {
  // Between two ranks of one machine a message is stored at least once, by one core.
  return core_limit(evidence, evidence.node->cpu.cores, 64);
}

std::optional<Reference> network_message_rate(const Evidence& evidence) {
  // A virtual port names a rate that binds nothing.
  if (evidence.node->virtual_machine()) return std::nullopt;
  const std::string& interface = evidence.node->condition.interface;
  for (const Nic& nic : evidence.node->nics) {
    if (nic.name != interface || !nic.physical || !nic.speed) continue;
    Reference r;
    r.ceiling = *nic.speed;
    r.derivation = fmt::format("ceiling {} = the rate of {}, by which the nodes reach one another",
                               format(*r.ceiling, Unit::bytes_per_second), interface);
    r.source = "the port's own word";
    return r;
  }
  return std::nullopt;
}

std::optional<Reference> storage_rate(const Evidence& evidence) {
  if (!evidence.memory_copy) return std::nullopt;
  Reference r;
  r.ceiling = *evidence.memory_copy;
  r.derivation = fmt::format(
      "ceiling {} = this node's own STREAM copy: what storage delivers has to go through "
      "memory",
      format(*r.ceiling, Unit::bytes_per_second));
  r.source = "compute.memory_bandwidth of this run";
  return r;
}

}  // namespace acceptance
