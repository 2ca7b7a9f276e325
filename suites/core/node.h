#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace acceptance {

/// What `accept probe` found on one machine. Absent = unknown; `unknown` says why where it can.
/// Bytes, hertz, bytes per second throughout. Devices are named by PCI address or serial, never by
/// index.

struct Cache {
  int level = 0;
  double bytes = 0;  ///< of one instance
  int count = 0;
};

struct NumaDomain {
  int id = 0;
  std::string cpus;  ///< Linux list format, "0-15,32-47"
  double bytes = 0;
};

/// A slot for a memory module, as the firmware tells it (SMBIOS type 17).
struct MemorySlot {
  std::string name, kind;      ///< "CPU0_DIMM_A1", "DDR5"; other kinds by their number
  double bytes = 0;            ///< 0 = empty
  std::optional<double> rate;  ///< transfers a second it is set to
  std::optional<int> bits;     ///< of one transfer, without those for error correction
};

struct Cpu {
  std::string model;
  std::string vendor;
  std::optional<int> family, model_number, stepping;
  int sockets = 0, cores = 0, threads = 0;
  std::vector<int> usable;  ///< logical CPUs for measuring: one per core this process may run on,
                            ///< within its quota
  std::optional<double> quota;  ///< cores' worth of time a control group allows
  std::optional<double> max_hz, base_hz;
  std::optional<double>
      measured_hz;  ///< best clock seen while probing, from a chain of dependent multiplications
  std::optional<std::string> microcode, governor, hypervisor;
  std::vector<std::string> features;  ///< those the suite asks about: "avx2", "fma", "avx512f", …
  std::vector<Cache> caches;
};

struct PciDevice {
  std::string address, vendor, device, kind, driver;
  std::optional<double> link_speed, link_speed_best;  ///< transfers per second and lane
  std::optional<int> link_width, link_width_best;
  std::optional<int> numa;
};

struct Nic {
  std::string name, driver, pci, mac;
  std::optional<double> speed;  ///< B/s
  std::optional<std::string> firmware;
  std::string state;
  std::string rdma;  ///< the RDMA device on the same port, "mlx5_0"; empty = none
  bool physical = false;
};

struct RdmaPort {
  std::string device, link_layer, state, rate, firmware;
  int port = 0;
};

struct Drive {
  std::string name, model, firmware, serial, transport;
  double bytes = 0;
  bool rotational = false;
};

struct Mount {
  std::string path, source, kind, options;
};

/// What a node was like at the moment it was asked, as far as it matters before measuring.
struct Condition {
  std::optional<double> load;               ///< cores kept busy by others
  std::optional<double> locked_memory;      ///< limit; absent = none
  std::optional<double> open_files;         ///< limit
  std::optional<double> shared_memory;      ///< size of /dev/shm
  std::optional<double> temporary_free;     ///< free space where temporary files go
  std::optional<double> clock_offset;       ///< its clock minus the head's
  std::optional<double> clock_uncertainty;  ///< half the shortest round trip
  std::string mpi;                          ///< the library a world would run on, in its words
  std::string interface, address, subnet;   ///< by which it reached the head
};

struct Node {
  std::string name;
  std::string hostname;
  std::string boot_id;
  Cpu cpu;
  double memory_bytes = 0;
  std::vector<NumaDomain> numa;
  std::vector<MemorySlot> memory_slots;  ///< empty = not told
  std::vector<PciDevice> pci;
  std::vector<Nic> nics;
  std::vector<RdmaPort> rdma;
  std::vector<Drive> drives;
  std::vector<Mount> mounts;
  std::map<std::string, std::string> system;    ///< board, BIOS, serial numbers, kernel, OS
  std::map<std::string, std::string> software;  ///< drivers and libraries with their versions
  std::map<std::string, std::string> limits;    ///< memlock, open files, …
  Condition condition;
  std::map<std::string, std::string> unknown;  ///< fact → why it is not known

  bool virtual_machine() const { return cpu.hypervisor.has_value(); }
  /// Sum of all instances of the last cache level; 0 when no cache is known.
  double last_level_cache_bytes() const {
    double bytes = 0;
    int level = 0;
    for (const Cache& c : cpu.caches)
      if (c.level >= level) {
        level = c.level;
        bytes = c.bytes * c.count;
      }
    return bytes;
  }
};

}  // namespace acceptance
