#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "suites/core/unit.h"

namespace acceptance {

/// A figure of the catalogue: base units, its source's key, and whether it may fail anything.
struct Sourced {
  double value = 0;  ///< of a range: its middle
  double low = 0, high = 0;
  std::string source, note;
  bool gates = true;
};

/// The links of a device to its peers, all of them together; one_way is one direction.
struct PeerLink {
  std::string kind;      ///< nvlink, xgmi, hccs
  std::string topology;  ///< switch: any pair gets all links; mesh: each pair its share; bridge
  int generation = 0, count = 0;  ///< 0 = not known
  double one_way = 0, both_ways = 0;
  std::string source, note;
  bool gates = true;
};

/// What connects a device with its host.
struct HostLink {
  std::string kind;  ///< pcie, nvlink-c2c
  int generation = 0, lanes = 0;
  double one_way = 0;  ///< for what is not PCIe
  std::string source, note;
};

struct GpuModel {
  std::string name, vendor, note;
  std::vector<std::string> pci;         ///< "10de:2330"
  std::map<std::string, Sourced> peak;  ///< by data type, dense
  std::optional<Sourced> clock, clock_max, multiprocessors, memory, memory_reported,
      memory_bandwidth, memory_clock, power, slowdown, shutdown;
  int memory_bits = 0;  ///< width of the memory bus, with memory_clock; 0 = not known
  std::optional<PeerLink> link;
  std::optional<HostLink> host;
};

struct ServerModel {
  std::string name, note;
  std::vector<std::string> board;  ///< how its firmware names it, or part of that
  std::vector<std::string> gpus;   ///< models it is sold with
  int gpu_count = 0;
  int domain = 0;  ///< GPUs that reach one another without the network
  std::optional<int> sockets, cores, drives, rails;
  std::optional<double> rail_rate;  ///< B/s, one direction
  std::optional<Sourced> memory, power, height, rack_power;
  std::map<std::string, std::string> sources;  ///< of cpus, rails
  bool gates = true;
};

struct FabricModel {
  std::string name, kind;  ///< infiniband, roce, ethernet
  Sourced rate;
};

struct NicModel {
  std::string name, source;
  std::vector<std::string> pci;
};

struct CpuModel {
  std::string name, vendor;
  int family = 0, first_model = 0, last_model = 0;
  Sourced fp64_per_cycle;
};

struct StorageModel {
  std::string name;
  bool shared = false, suits_checkpoints = false;
  std::optional<Sourced> per_client_read, per_client_write, checkpoint_rate;
};

/// What is measured, and on what: all that a derivation needs. Empty or 0 = not told.
struct Setup {
  std::string test, metric;
  std::string gpu, fabric, algorithm, precision, kernel, direction, memory, link;
  int gpus = 0;  ///< of one node
  int nodes = 1;
  int domain = 0;  ///< GPUs that reach one another without the network; 0 = those of one node
  int rails = 0, hops = 0, streams = 0;
  double rate = 0;                   ///< of one rail, B/s, one direction
  double message = 0;                ///< bytes
  double oversubscription = 1;       ///< of the fabric, as far as this traffic crosses it
  bool placed = true;                ///< which nodes share a domain of several nodes is known
  bool in_network_reduction = true;  ///< the fabric's switches may sum
};

/// A published measurement.
struct Published {
  Setup setup;
  Sourced value;
  std::string reason;  ///< why it may be far from what is derived
};

/// A published figure as a share of what its model allows.
struct Share {
  double low = 0, middle = 0, high = 0;
  std::size_t row = 0;  ///< in Catalogue::published
};

struct Catalogue {
  std::map<std::string, GpuModel> gpus;
  std::map<std::string, ServerModel> servers;
  std::map<std::string, FabricModel> fabrics;
  std::map<std::string, NicModel> nics;
  std::map<std::string, CpuModel> cpus;
  std::map<std::string, StorageModel> storage;
  std::map<std::string, std::string> sources;
  std::vector<Published> published;
  std::map<std::string, std::vector<Share>> families;  ///< of models; made from `published`
  /// Seconds before a collective's data flow, within one NVLink domain and over the network; made
  /// from `published`.
  double startup_within = 0, startup_over = 0;
};

/// The catalogue within the program; files of the same names in `folder` take the place of their
/// parts. Throws std::invalid_argument with file, line and key.
Catalogue load_catalogue(const std::filesystem::path& folder = {});
/// The one within the program, read once.
const Catalogue& builtin_catalogue();

/// "DGXC (NVIDIA/dgxc-benchmarking at …)": a key with what it stands for.
std::string citation(const Catalogue& catalogue, const std::string& source);

/// The model whose PCI id this is ("10de", "2330"); null when none is known.
const GpuModel* gpu_of_pci(const Catalogue& catalogue, const std::string& vendor,
                           const std::string& device);
const NicModel* nic_of_pci(const Catalogue& catalogue, const std::string& vendor,
                           const std::string& device);

}  // namespace acceptance
