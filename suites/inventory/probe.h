#pragma once
#include "suites/core/node.h"

namespace acceptance {

/// Finds out what this machine is made of. Needs no root; what can't be read is listed as unknown
/// with the reason.
Node probe();

/// This machine's own name.
std::string host_name();

/// A memory slot from the bytes of its SMBIOS structure (type 17, DMTF DSP0134); nothing when they
/// are none.
std::optional<MemorySlot> memory_slot(std::string_view structure);

/// The parts, one file each.
void probe_processor(Node& node);  ///< CPU, caches, memory, NUMA (hwloc), clocks, microcode
void probe_memory(Node& node);     ///< memory modules, as the firmware tells them
void probe_devices(Node& node);    ///< PCI devices, network and RDMA ports, drives
void probe_system(Node& node);     ///< board, BIOS, OS, libraries, limits, mounts
void probe_condition(Node& node);  ///< load, limits and free space of this moment

}  // namespace acceptance
