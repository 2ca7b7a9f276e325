#include "reports/reference/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/embedded.h"
#include "reports/reference/derive.h"
#include "reports/run_files.h"
#include "reports/yaml.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

const std::string& known_source(const Yaml& at, const Catalogue& c) {
  const std::string& key = at.text();
  if (c.sources.contains(key)) return key;
  std::vector<std::string> keys;
  for (const auto& [k, text] : c.sources) keys.push_back(k);
  at.fail(fmt::format("sources.yaml has no '{}'{}", key, suggestion(key, keys)));
}

bool may_gate(const Yaml& y, const std::string& source) {
  return (!y["gate"] || y["gate"].flag()) && source != "memory";
}

std::string optional_text(const Yaml& y) { return y ? y.text() : std::string(); }

Sourced sourced(const Yaml& y, Unit unit, const Catalogue& c) {
  y.only({"value", "source", "note", "gate"});
  Sourced s;
  std::tie(s.low, s.high) = y.at("value").range(unit);
  if (s.low < 0) y.at("value").fail("is below zero");
  s.value = (s.low + s.high) / 2;
  s.source = known_source(y.at("source"), c);
  s.note = optional_text(y["note"]);
  s.gates = may_gate(y, s.source);
  return s;
}

std::optional<Sourced> maybe(const Yaml& y, Unit unit, const Catalogue& c) {
  if (!y) return std::nullopt;
  return sourced(y, unit, c);
}

int small(const Yaml& y, int most = 100000) { return y ? y.count(1, most) : 0; }

PeerLink peer_link(const Yaml& y, const Catalogue& c) {
  y.only({"kind", "topology", "generation", "count", "one_way", "both_ways", "source", "note",
          "gate"});
  PeerLink l;
  l.kind = y.at("kind").text();
  l.topology = y.at("topology").text();
  if (l.topology != "switch" && l.topology != "mesh" && l.topology != "bridge")
    y.at("topology").fail("must be switch, mesh or bridge");
  l.generation = small(y["generation"]);
  l.count = small(y["count"]);
  l.one_way = y.at("one_way").quantity(Unit::bytes_per_second);
  l.both_ways = y.at("both_ways").quantity(Unit::bytes_per_second);
  if (std::abs(l.both_ways - 2 * l.one_way) > 1e-6 * l.both_ways)
    y.at("both_ways").fail("is not twice one_way");
  l.source = known_source(y.at("source"), c);
  l.note = optional_text(y["note"]);
  l.gates = may_gate(y, l.source);
  return l;
}

HostLink host_link(const Yaml& y, const Catalogue& c) {
  y.only({"kind", "generation", "lanes", "one_way", "source", "note"});
  HostLink l;
  l.kind = y.at("kind").text();
  if (l.kind == "pcie") {
    l.generation = y.at("generation").count(1, 6);
    l.lanes = y.at("lanes").count(1, 16);
  } else {
    l.one_way = y.at("one_way").quantity(Unit::bytes_per_second);
  }
  l.source = known_source(y.at("source"), c);
  l.note = optional_text(y["note"]);
  return l;
}

GpuModel gpu(const std::string& name, const Yaml& y, const Catalogue& c) {
  y.only({"vendor", "pci", "peak", "clock", "clock_max", "multiprocessors", "memory",
          "memory_reported", "memory_bandwidth", "memory_bus", "link", "host", "power",
          "temperature", "note"});
  GpuModel g;
  g.name = name;
  g.vendor = y.at("vendor").text();
  g.note = optional_text(y["note"]);
  if (y["pci"]) g.pci = y["pci"].words();
  y["peak"].only(
      {"fp64", "fp64_tensor", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "fp4"});
  for (const auto& [type, value] : y["peak"].members())
    g.peak[type] = sourced(value, Unit::flop_per_second, c);
  g.clock = maybe(y["clock"], Unit::hertz, c);
  g.clock_max = maybe(y["clock_max"], Unit::hertz, c);
  g.multiprocessors = maybe(y["multiprocessors"], Unit::count, c);
  g.memory = maybe(y["memory"], Unit::bytes, c);
  g.memory_reported = maybe(y["memory_reported"], Unit::bytes, c);
  g.memory_bandwidth = maybe(y["memory_bandwidth"], Unit::bytes_per_second, c);
  if (const Yaml& bus = y["memory_bus"]) {
    bus.only({"bits", "clock"});
    g.memory_bits = bus.at("bits").count(1, 65536);
    g.memory_clock = sourced(bus.at("clock"), Unit::hertz, c);
  }
  g.power = maybe(y["power"], Unit::watts, c);
  if (y["link"]) g.link = peer_link(y["link"], c);
  if (y["host"]) g.host = host_link(y["host"], c);
  y["temperature"].only({"slowdown", "shutdown"});
  g.slowdown = maybe(y["temperature"]["slowdown"], Unit::celsius, c);
  g.shutdown = maybe(y["temperature"]["shutdown"], Unit::celsius, c);
  return g;
}

ServerModel server(const std::string& name, const Yaml& y, const Catalogue& c) {
  y.only({"board", "gpus", "cpus", "memory", "rails", "drives", "power", "height", "rack_power",
          "gate", "note"});
  ServerModel s;
  s.name = name;
  s.note = optional_text(y["note"]);
  s.gates = may_gate(y, "");
  if (y["board"]) s.board = y["board"].words();
  const Yaml& gpus = y.at("gpus");
  gpus.only({"models", "count", "domain"});
  s.gpus = gpus.at("models").words();
  for (const std::string& model : s.gpus)
    if (!c.gpus.contains(model)) gpus.at("models").fail("gpus.yaml has no " + model);
  s.gpu_count = gpus.at("count").count(1, 64);
  s.domain = gpus.at("domain").count(1, 1024);
  if (const Yaml& cpus = y["cpus"]) {
    cpus.only({"sockets", "cores", "source"});
    s.sockets = cpus.at("sockets").count(1, 16);
    if (cpus["cores"]) s.cores = cpus["cores"].count(1, 4096);
    s.sources["cpus"] = known_source(cpus.at("source"), c);
  }
  if (const Yaml& rails = y["rails"]) {
    rails.only({"count", "rate", "source", "note"});
    s.rails = rails.at("count").count(1, 64);
    s.rail_rate = rails.at("rate").quantity(Unit::bytes_per_second);
    s.sources["rails"] = known_source(rails.at("source"), c);
  }
  s.memory = maybe(y["memory"], Unit::bytes, c);
  if (const auto drives = maybe(y["drives"], Unit::count, c)) s.drives = int(drives->value);
  s.power = maybe(y["power"], Unit::watts, c);
  s.height = maybe(y["height"], Unit::count, c);
  s.rack_power = maybe(y["rack_power"], Unit::watts, c);
  return s;
}

FabricModel fabric(const std::string& name, const Yaml& y, const Catalogue& c) {
  y.only({"kind", "rate"});
  return {name, y.at("kind").text(), sourced(y.at("rate"), Unit::bytes_per_second, c)};
}

NicModel nic(const std::string& name, const Yaml& y, const Catalogue& c) {
  y.only({"pci", "source"});
  return {name, known_source(y.at("source"), c), y.at("pci").words()};
}

CpuModel cpu(const std::string& name, const Yaml& y, const Catalogue& c) {
  y.only({"vendor", "family", "models", "fp64_per_cycle"});
  CpuModel m;
  m.name = name;
  m.vendor = y.at("vendor").text();
  m.family = y.at("family").count(0, 1000);
  const auto [first, last] = y.at("models").range(Unit::count);
  m.first_model = int(first);
  m.last_model = int(last);
  m.fp64_per_cycle = sourced(y.at("fp64_per_cycle"), Unit::count, c);
  return m;
}

StorageModel storage(const std::string& name, const Yaml& y, const Catalogue& c) {
  y.only({"shared", "suits_checkpoints", "per_client_read", "per_client_write", "checkpoint_rate"});
  StorageModel m;
  m.name = name;
  m.shared = y.at("shared").flag();
  m.suits_checkpoints = y.at("suits_checkpoints").flag();
  m.per_client_read = maybe(y["per_client_read"], Unit::bytes_per_second, c);
  m.per_client_write = maybe(y["per_client_write"], Unit::bytes_per_second, c);
  m.checkpoint_rate = maybe(y["checkpoint_rate"], Unit::bytes_per_second, c);
  return m;
}

/// The unit of what a published row measures follows from the name of its metric.
Unit unit_of_metric(const std::string& test, const std::string& metric) {
  if (metric == "latency") return Unit::seconds;
  return test == "compute.gpu_gemm" ? Unit::flop_per_second : Unit::bytes_per_second;
}

Published published(const Yaml& y, const Catalogue& c) {
  y.only({"test",      "gpu",     "gpus",      "nodes",  "domain",    "rails",  "rate", "fabric",
          "algorithm", "message", "precision", "kernel", "direction", "memory", "link", "hops",
          "streams",   "value",   "source",    "gate",   "note",      "reason"});
  Published p;
  Setup& s = p.setup;
  const std::string& name = y.at("test").text();
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || name.find('.') == dot)
    y.at("test").fail("must be suite.test.metric");
  s.test = name.substr(0, dot);
  s.metric = name.substr(dot + 1);
  using Word = std::pair<const char*, std::string*>;
  for (auto [key, text] :
       {Word{"gpu", &s.gpu}, Word{"fabric", &s.fabric}, Word{"algorithm", &s.algorithm},
        Word{"precision", &s.precision}, Word{"kernel", &s.kernel}, Word{"direction", &s.direction},
        Word{"memory", &s.memory}, Word{"link", &s.link}, Word{"reason", &p.reason}})
    *text = optional_text(y[key]);
  if (!s.gpu.empty() && !c.gpus.contains(s.gpu)) y.at("gpu").fail("gpus.yaml has no " + s.gpu);
  using Number = std::pair<const char*, int*>;
  for (auto [key, number] :
       {Number{"gpus", &s.gpus}, Number{"domain", &s.domain}, Number{"rails", &s.rails},
        Number{"hops", &s.hops}, Number{"streams", &s.streams}})
    *number = small(y[key]);
  if (y["nodes"]) s.nodes = small(y["nodes"]);
  if (y["rate"]) s.rate = y["rate"].quantity(Unit::bytes_per_second);
  if (y["message"]) s.message = y["message"].quantity(Unit::bytes);
  std::tie(p.value.low, p.value.high) = y.at("value").range(unit_of_metric(s.test, s.metric));
  p.value.value = (p.value.low + p.value.high) / 2;
  p.value.source = known_source(y.at("source"), c);
  p.value.note = optional_text(y["note"]);
  p.value.gates = may_gate(y, p.value.source);
  return p;
}

std::string part(const std::filesystem::path& folder, const std::string& file) {
  const std::filesystem::path own = folder / file;
  if (folder.empty() || !std::filesystem::exists(own))
    return std::string(embedded_file("catalogue/" + file));
  return read_file(own, most_written_bytes);
}

}  // namespace

Catalogue load_catalogue(const std::filesystem::path& folder) {
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw std::invalid_argument(fmt::format("--catalogue {}: is no folder", folder.string()));
  static constexpr const char* files[] = {"sources.yaml", "gpus.yaml",     "servers.yaml",
                                          "fabrics.yaml", "nics.yaml",     "cpus.yaml",
                                          "storage.yaml", "published.yaml"};
  bool own = folder.empty();
  for (const char* file : files) own = own || std::filesystem::exists(folder / file);
  if (!own)
    throw std::invalid_argument(
        fmt::format("--catalogue {}: holds none of {}", folder.string(), fmt::join(files, ", ")));
  Catalogue c;
  const auto each = [&](const char* file, auto&& take) {
    const Yaml all =
        Yaml::parse(part(folder, file),
                    folder.empty() ? "catalogue/" + std::string(file) : (folder / file).string());
    if (all.kind() == Yaml::Kind::list)
      for (const Yaml* y : all.items()) take("", *y);
    else
      for (const auto& [name, y] : all.members()) take(name, y);
  };
  using Name = const std::string&;
  each("sources.yaml", [&](Name name, const Yaml& y) { c.sources[name] = y.text(); });
  each("gpus.yaml", [&](Name name, const Yaml& y) { c.gpus[name] = gpu(name, y, c); });
  each("servers.yaml", [&](Name name, const Yaml& y) { c.servers[name] = server(name, y, c); });
  each("fabrics.yaml", [&](Name name, const Yaml& y) { c.fabrics[name] = fabric(name, y, c); });
  each("nics.yaml", [&](Name name, const Yaml& y) { c.nics[name] = nic(name, y, c); });
  each("cpus.yaml", [&](Name name, const Yaml& y) { c.cpus[name] = cpu(name, y, c); });
  each("storage.yaml", [&](Name name, const Yaml& y) { c.storage[name] = storage(name, y, c); });
  each("published.yaml", [&](Name, const Yaml& y) { c.published.push_back(published(y, c)); });
  c.startup_within = startup_seconds(c, false, std::nullopt);
  c.startup_over = startup_seconds(c, true, std::nullopt);
  c.families = families_of(c);
  return c;
}

const Catalogue& builtin_catalogue() {
  static const Catalogue builtin = load_catalogue();
  return builtin;
}

std::string citation(const Catalogue& c, const std::string& source) {
  const auto found = c.sources.find(source);
  return found == c.sources.end() ? source : fmt::format("{} ({})", source, found->second);
}

const GpuModel* gpu_of_pci(const Catalogue& c, const std::string& vendor,
                           const std::string& device) {
  const std::string id = vendor + ":" + device;
  for (const auto& [name, g] : c.gpus)
    if (std::find(g.pci.begin(), g.pci.end(), id) != g.pci.end()) return &g;
  return nullptr;
}

const NicModel* nic_of_pci(const Catalogue& c, const std::string& vendor,
                           const std::string& device) {
  const std::string id = vendor + ":" + device;
  for (const auto& [name, n] : c.nics)
    if (std::find(n.pci.begin(), n.pci.end(), id) != n.pci.end()) return &n;
  return nullptr;
}

}  // namespace acceptance
