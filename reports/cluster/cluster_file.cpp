#include "reports/cluster/cluster_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "reports/embedded.h"
#include "reports/run_files.h"
#include "reports/yaml.h"
#include "suites/core/node_set.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

constexpr std::size_t most_nodes = 65536;
constexpr int most_gpus = 256, most_cores = 4096, most_rails = 64;

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

double positive(const Yaml& y, Unit unit) {
  if (!y) return 0;
  const double value = y.quantity(unit);
  if (value <= 0) y.fail("must be more than zero");
  return value;
}

/// `room` is how many names the file may still have, each on its own place in it.
std::vector<std::string> nodes_of(const Yaml& y, std::size_t& room) {
  try {
    std::vector<std::string> names;
    for (const std::string& set : y.words()) {
      if (set.find('@') != std::string::npos)
        y.fail("host files are not read here; name the nodes");
      for (std::string& name : expand_node_set(set)) names.push_back(std::move(name));
      if (names.size() > room) y.fail(fmt::format("more than {} nodes", most_nodes));
    }
    room -= names.size();
    return names;
  } catch (const std::invalid_argument& e) {
    if (std::string(e.what()).starts_with(y.file())) throw;
    y.fail(e.what());
  }
}

PortPromise port(const Yaml& y) {
  y.only({"device", "rate"});
  return {y["device"] ? y["device"].text() : "", positive(y["rate"], Unit::bytes_per_second)};
}

std::vector<PortPromise> rails(const Yaml& y) {
  y.only({"count", "rate", "devices"});
  const double rate = positive(y.at("rate"), Unit::bytes_per_second);
  std::vector<PortPromise> all;
  if (y["devices"])
    for (const std::string& device : y["devices"].words()) all.push_back({device, rate});
  const int count = y["count"] ? y["count"].count(1, most_rails) : static_cast<int>(all.size());
  if (!y["count"] && all.empty()) y.fail("needs count or devices");
  if (!all.empty() && count != static_cast<int>(all.size()))
    y["count"].fail(fmt::format("is {}, but there are {} devices", count, all.size()));
  all.resize(static_cast<std::size_t>(count), {"", rate});
  return all;
}

void take_server(NodeGroup& g, const ServerModel& s) {
  g.server = s.name;
  g.gpus = s.gpu_count;
  g.domain = s.domain;
  if (s.gpus.size() == 1) g.gpu = s.gpus[0];
  g.sockets = s.sockets.value_or(0);
  g.cores = s.cores.value_or(0);
  if (s.memory && s.memory->low == s.memory->high) g.memory = s.memory->value;
  if (s.power) g.power = s.power->value;
  if (s.rails) g.rails.assign(static_cast<std::size_t>(*s.rails), {"", s.rail_rate.value_or(0)});
}

NodeGroup group(const std::string& name, const Yaml& y, const Catalogue& c, std::size_t& room) {
  y.only({"nodes", "server", "gpus", "cpus", "memory", "drives", "rails", "networks", "power",
          "versions"});
  NodeGroup g;
  g.name = name;
  g.line = y.line();
  g.nodes = nodes_of(y.at("nodes"), room);
  if (y["server"]) {
    const auto model = c.servers.find(y["server"].one_of(keys_of(c.servers)));
    take_server(g, model->second);
    g.server = model->first;
  }
  if (const Yaml& gpus = y["gpus"]) {
    gpus.only({"model", "count", "domain"});
    if (gpus["model"]) g.gpu = gpus["model"].one_of(keys_of(c.gpus));
    if (gpus["count"]) g.gpus = gpus["count"].count(0, most_gpus);
    if (gpus["domain"]) g.domain = gpus["domain"].count(1, 100000);
    if (g.gpus > 0 && g.gpu.empty()) gpus.fail("needs a model");
  }
  if (g.gpus > 0 && g.gpu.empty())
    y.at("server").fail("is sold with different GPUs: say which (gpus: {model: …})");
  if (const Yaml& cpus = y["cpus"]) {
    cpus.only({"model", "sockets", "cores"});
    if (cpus["model"]) g.cpu = cpus["model"].text();
    if (cpus["sockets"]) g.sockets = cpus["sockets"].count(1, 64);
    if (cpus["cores"]) g.cores = cpus["cores"].count(1, most_cores);
  }
  if (y["memory"]) g.memory = positive(y["memory"], Unit::bytes);
  if (y["drives"]) g.drives = y["drives"].count(0, 1000);
  if (y["power"]) g.power = positive(y["power"], Unit::watts);
  if (y["rails"]) g.rails = rails(y["rails"]);
  y["networks"].only({"storage", "management", "control"});
  for (const auto& [use, value] : y["networks"].members()) g.networks[use] = port(value);
  for (const auto& [what, value] : y["versions"].members()) g.versions[what] = value.text();
  return g;
}

const FabricModel& fabric_named(const std::string& word, const Catalogue& c) {
  for (const auto& [name, model] : c.fabrics)
    if (name == word || name == "infiniband-" + word) return model;
  throw std::invalid_argument(fmt::format("unknown fabric '{}'; known are {}{}", word,
                                          fmt::join(keys_of(c.fabrics), ", "),
                                          suggestion(word, keys_of(c.fabrics))));
}

FabricPromise fabric(const Yaml& y, const Catalogue& c, std::size_t room) {
  y.only({"name", "kind", "rate", "shape", "oversubscription", "in_network_reduction", "leaves"});
  FabricPromise f;
  if (y["name"]) {
    try {
      const FabricModel& model = fabric_named(y["name"].text(), c);
      f.name = model.name;
      f.kind = model.kind;
      f.rate = model.rate.value;
    } catch (const std::invalid_argument& e) {
      y["name"].fail(e.what());
    }
  }
  if (y["kind"]) f.kind = y["kind"].one_of({"infiniband", "roce", "ethernet", "efa"});
  if (y["rate"]) f.rate = positive(y["rate"], Unit::bytes_per_second);
  if (y["shape"]) f.shape = y["shape"].one_of({"fat-tree", "rail-optimised", "single-switch"});
  if (y["oversubscription"]) {
    f.oversubscription = y["oversubscription"].quantity(Unit::count);
    if (f.oversubscription < 1) y["oversubscription"].fail("is a factor of 1 or more");
  }
  if (y["in_network_reduction"]) f.in_network_reduction = y["in_network_reduction"].flag();
  for (const auto& [leaf, nodes] : y["leaves"].members()) f.leaves[leaf] = nodes_of(nodes, room);
  return f;
}

StoragePromise storage(const std::string& name, const Yaml& y, const Catalogue& c) {
  y.only({"path", "class", "read", "write", "client_read", "client_write", "server_cache"});
  StoragePromise s;
  s.name = name;
  s.path = y.at("path").text();
  if (!s.path.starts_with('/')) y.at("path").fail("must begin with /");
  s.model = y.at("class").one_of(keys_of(c.storage));
  s.read = positive(y["read"], Unit::bytes_per_second);
  s.write = positive(y["write"], Unit::bytes_per_second);
  s.client_read = positive(y["client_read"], Unit::bytes_per_second);
  s.client_write = positive(y["client_write"], Unit::bytes_per_second);
  s.server_cache = positive(y["server_cache"], Unit::bytes);
  return s;
}

/// A node belongs to one group, and hangs on one leaf that exists.
void check_names(const Yaml& y, const Cluster& c) {
  std::set<std::string> all;
  for (const NodeGroup& g : c.groups)
    for (const std::string& node : g.nodes)
      if (!all.insert(node).second)
        y.at("groups").at(g.name).at("nodes").fail(
            fmt::format("{} is in another group already", node));
  std::set<std::string> hung;
  for (const auto& [leaf, nodes] : c.fabric.leaves) {
    const Yaml& at = y["fabric"]["leaves"].at(leaf);
    for (const std::string& node : nodes) {
      if (!all.contains(node)) at.fail(fmt::format("{} is in no group", node));
      if (c.fabric.shape != "rail-optimised" && !hung.insert(node).second)
        at.fail(fmt::format("{} hangs on another leaf already", node));
    }
  }
}

}  // namespace

Cluster parse_cluster(const std::string& text, const std::string& file,
                      const Catalogue& catalogue) {
  const Yaml y = Yaml::parse(text, file);
  y.only({"format", "name", "groups", "fabric", "storage", "scheduler", "power", "spare_nodes",
          "contract", "policy"});
  if (y.at("format").text() != "accept.cluster/1") y.at("format").fail("must be accept.cluster/1");
  Cluster c;
  c.name = y.at("name").text();
  std::size_t room = most_nodes;
  for (const auto& [name, value] : y.at("groups").members())
    c.groups.push_back(group(name, value, catalogue, room));
  if (c.groups.empty()) y.at("groups").fail("must name at least one group");
  // On a rail-optimised fabric a node hangs on as many leaves as it has rails.
  c.fabric = fabric(y["fabric"], catalogue, most_nodes * 16);
  for (const auto& [name, value] : y["storage"].members())
    c.storage.push_back(storage(name, value, catalogue));
  y["scheduler"].only({"kind", "partition"});
  if (const Yaml& s = y["scheduler"]) {
    c.scheduler = s.at("kind").one_of({"slurm", "ssh", "kubernetes"});
    if (s["partition"]) c.partition = s["partition"].text();
  }
  y["power"].only({"budget", "heat"});
  c.power_budget = positive(y["power"]["budget"], Unit::watts);
  c.heat_budget = positive(y["power"]["heat"], Unit::watts);
  if (y["spare_nodes"]) c.spare_nodes = y["spare_nodes"].count(0, 100000);
  for (const auto& [key, value] : y["contract"].members()) {
    try {
      c.contract.push_back(parse_contract(key, value.text()));
      c.contract.back().line = value.line();
    } catch (const std::invalid_argument& e) {
      value.fail(e.what());
    }
  }
  c.policy = read_policy(y["policy"]);
  check_names(y, c);
  index_nodes(c);
  return c;
}

Cluster read_cluster(const std::filesystem::path& file, const Catalogue& catalogue) {
  return parse_cluster(read_file(file, most_written_bytes), file.string(), catalogue);
}

Cluster imagined_cluster(const std::string& server, int nodes, const std::string& fabric,
                         const Catalogue& catalogue) {
  const ServerModel* model = nullptr;
  const auto lower = [](std::string s) {
    std::transform(s.begin(), s.end(), s.begin(),
                   [](unsigned char ch) { return std::tolower(ch); });
    return s;
  };
  for (const auto& [name, m] : catalogue.servers)
    if (lower(name) == lower(server)) model = &m;
  if (!model)
    throw std::invalid_argument(fmt::format("unknown server '{}'; known are {}{}", server,
                                            fmt::join(keys_of(catalogue.servers), ", "),
                                            suggestion(server, keys_of(catalogue.servers))));
  if (nodes < 1 || nodes > 65536)
    throw std::invalid_argument(fmt::format("{} nodes: must be from 1 to 65536", nodes));
  Cluster c;
  c.name = fmt::format("{} × {}", nodes, model->name);
  NodeGroup g;
  g.name = "nodes";
  take_server(g, *model);
  if (g.gpu.empty()) g.gpu = model->gpus.at(0);
  g.nodes = expand_node_set(fmt::format("n[1-{}]", nodes));
  if (!fabric.empty()) {
    const FabricModel& f = fabric_named(fabric, catalogue);
    c.fabric.name = f.name;
    c.fabric.kind = f.kind;
    c.fabric.rate = f.rate.value;
    const std::size_t rails =
        g.rails.empty() ? static_cast<std::size_t>(std::max(1, g.gpus)) : g.rails.size();
    g.rails.assign(rails, {"", f.rate.value});
  }
  c.groups.push_back(std::move(g));
  index_nodes(c);
  return c;
}

std::vector<std::string> preset_names() {
  constexpr std::string_view folder = "preset/", ending = ".yaml";
  std::vector<std::string> names;
  for (const auto& [file, text] : embedded_table())
    if (file.starts_with(folder))
      names.emplace_back(file.substr(folder.size(), file.size() - folder.size() - ending.size()));
  return names;
}

std::string preset(const std::string& name) {
  const std::vector<std::string> names = preset_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw std::invalid_argument(fmt::format("unknown preset '{}'; known are {}{}", name,
                                            fmt::join(names, ", "), suggestion(name, names)));
  return std::string(embedded_file("preset/" + name + ".yaml"));
}

}  // namespace acceptance
