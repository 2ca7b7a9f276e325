#include "reports/cluster/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "reports/verdict/rules.h"
#include "suites/core/json.h"
#include "suites/core/node_set.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

using Members = std::vector<const Node*>;

/// A word as YAML takes it back unchanged; `more` are signs that need no quotes where it stands.
std::string word(const std::string& fact, std::string_view more = "") {
  const std::string text = printable(fact);
  const bool plain = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) &&
                     std::all_of(text.begin(), text.end(), [&](char c) {
                       return std::isalnum(static_cast<unsigned char>(c)) ||
                              std::string_view(".-_/").find(c) != std::string_view::npos ||
                              more.find(c) != std::string_view::npos;
                     });
  static const std::set<std::string> taken{"yes", "no",  "true", "false", "null",
                                           "on",  "off", "y",    "n"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return plain && !taken.contains(lower) ? text : dump(Json(text));
}

std::string node_set(const std::vector<std::string>& names) {
  return word(fold_node_set(names), "[],");
}

std::string of_system(const Node& n, const char* fact) {
  const auto found = n.system.find(fact);
  return found == n.system.end() ? "" : found->second;
}

const ServerModel* recognised(const Node& n, const Catalogue& c) {
  const std::string product = of_system(n, "product_name") + " " + of_system(n, "board_name");
  for (const auto& [name, model] : c.servers)
    for (const std::string& board : model.board)
      if (product.find(board) != std::string::npos) return &model;
  return nullptr;
}

/// The group of models that a node's GPUs, whatever their number, and its product make it.
std::string kind_of(const Node& n, const Catalogue& c) {
  std::string kind = of_system(n, "product_name") + "|" + n.cpu.model;
  const ServerModel* server = recognised(n, c);
  for (const auto& [model, count] : gpus_of(n, c))
    if (!server) kind += "|" + model;  // a known server that lost all its GPUs is still that server
  return kind;
}

template <class Value>
double most(const Members& nodes, Value value) {
  double best = 0;
  for (const Node* n : nodes) best = std::max(best, static_cast<double>(value(*n)));
  return best;
}

/// What most have; empty when there is no such.
std::string usual(const std::map<std::string, int>& votes) {
  std::string best;
  int count = 0;
  bool tie = false;
  for (const auto& [value, n] : votes) {
    tie = n == count || (tie && n < count);
    if (n > count) best = value, count = n;
  }
  return tie ? "" : best;
}

std::string gigabits(double bytes_per_second) {
  return fmt::format("{:.0f} Gbit/s", bytes_per_second * 8e-9);
}

double rdma_rate(const RdmaPort& p) { return std::strtod(p.rate.c_str(), nullptr) * 1e9 / 8; }

struct Rails {
  std::vector<std::string> devices;
  double rate = 0;
  std::string kind;
};

/// Ports that look like rails: RDMA ports of the highest rate, not those the node is controlled by.
Rails rails_of(const Node& n) {
  Rails r;
  std::set<std::string> control;
  for (const Nic& nic : n.nics)
    if (!nic.rdma.empty() && nic.name == n.condition.interface) control.insert(nic.rdma);
  for (const RdmaPort& p : n.rdma)
    if (!control.contains(p.device)) r.rate = std::max(r.rate, rdma_rate(p));
  for (const RdmaPort& p : n.rdma) {
    if (control.contains(p.device) || r.rate <= 0 || rdma_rate(p) < r.rate) continue;
    r.devices.push_back(p.device);
    r.kind = p.link_layer == "InfiniBand" ? "infiniband" : "roce";
  }
  return r;
}

std::string fabric_name(const Rails& r, const Catalogue& c) {
  for (const auto& [name, model] : c.fabrics)
    if (model.kind == r.kind && std::abs(model.rate.value - r.rate) < 0.02 * r.rate) return name;
  return "";
}

void draft_gpus(const Members& nodes, const ServerModel* server, const Catalogue& c,
                std::string& out) {
  std::map<std::string, int> best;
  for (const Node* n : nodes)
    for (const auto& [model, count] : gpus_of(*n, c)) best[model] = std::max(best[model], count);
  const auto known = std::find_if(best.begin(), best.end(),
                                  [&](const auto& b) { return c.gpus.contains(b.first); });
  if (known == best.end()) {
    if (!best.empty())
      out += fmt::format("    # {} GPUs of a model the catalogue doesn't know: {}\n",
                         best.begin()->second, word(best.begin()->first));
    if (server && server->gpus.size() > 1)
      out += fmt::format(
          "    gpus: {{model: {}}}  # guess: none was found; this server is sold with {}\n",
          server->gpus[0], fmt::join(server->gpus, ", "));
    return;
  }
  const int count = server ? std::max(server->gpu_count, known->second) : known->second;
  out += fmt::format("    gpus: {{model: {}, count: {}}}{}\n", known->first, count,
                     server && known->second < server->gpu_count
                         ? "  # by the server's model; fewer were found"
                         : "  # guess: the most found on one node");
}

void draft_rails(const Members& nodes, const ServerModel* server, std::string& out) {
  Rails best;
  bool same_devices = true;
  for (const Node* n : nodes) {
    Rails r = rails_of(*n);
    if (r.rate > best.rate || (r.rate == best.rate && r.devices.size() > best.devices.size()))
      best = std::move(r);
  }
  for (const Node* n : nodes) {
    const Rails r = rails_of(*n);
    same_devices =
        same_devices && (r.devices == best.devices || r.devices.size() < best.devices.size());
  }
  if (best.devices.empty()) return;
  // More ports of the rate than the model has rails: some serve storage.
  const std::size_t count =
      server && server->rails ? static_cast<std::size_t>(*server->rails) : best.devices.size();
  for (std::string& device : best.devices) device = word(device);
  if (same_devices && count == best.devices.size())
    out += fmt::format(
        "    rails: {{devices: [{}], rate: {}}}  # guess: RDMA ports of the highest rate\n",
        fmt::join(best.devices, ", "), gigabits(best.rate));
  else
    out += fmt::format(
        "    rails: {{count: {}, rate: {}}}  # guess: {}\n", count,
        gigabits(std::max(best.rate, server && server->rail_rate ? *server->rail_rate : 0)),
        server && server->rails ? "by the server's model; other builds are sold"
                                : "RDMA ports of the highest rate");
}

void draft_versions(const Members& nodes, std::string& out) {
  std::map<std::string, std::map<std::string, int>> votes;
  for (const Node* n : nodes) {
    if (const std::string bios = of_system(*n, "bios_version"); !bios.empty())
      ++votes["bios_version"][bios];
    if (n->cpu.microcode) ++votes["microcode"][*n->cpu.microcode];
    for (const char* driver : {"nvidia driver", "mlx5_core"})
      if (const auto v = n->software.find(driver); v != n->software.end())
        ++votes[driver][v->second];
  }
  std::string lines;
  for (const auto& [what, values] : votes)
    if (const std::string value = usual(values); !value.empty())
      lines += fmt::format("      {}: {}\n", word(what), word(value));
  if (!lines.empty()) out += "    versions:  # guess: what most have\n" + lines;
}

std::string draft_group(const std::string& name, const Members& nodes,
                        const std::vector<std::string>& silent, const DraftFacts& facts,
                        const Catalogue& c) {
  const ServerModel* server = recognised(*nodes.front(), c);
  if (!facts.server.empty()) server = &c.servers.at(facts.server);
  std::vector<std::string> names;
  for (const Node* n : nodes) names.push_back(n->name);
  names.insert(names.end(), silent.begin(), silent.end());
  if (!silent.empty())  // n2 before n10
    std::sort(names.begin(), names.end(), [](const auto& x, const auto& y) {
      return std::pair(x.size(), x) < std::pair(y.size(), y);
    });
  std::string out =
      fmt::format("  {}:\n    nodes: {}{}\n", name, node_set(names),
                  silent.empty() ? "" : "  # guess: " + fold_node_set(silent) + " did not answer");
  if (server)
    out += fmt::format("    server: {}{}\n", server->name,
                       facts.server.empty() ? "  # guess: by its product name" : "");
  else if (const std::string product = of_system(*nodes.front(), "product_name"); !product.empty())
    out += fmt::format("    # server: {} is no model the catalogue knows\n", word(product));
  draft_gpus(nodes, server, c, out);
  const double sockets = std::max(double(server ? server->sockets.value_or(0) : 0),
                                  most(nodes, [](const Node& n) { return n.cpu.sockets; }));
  const double cores = std::max(double(server ? server->cores.value_or(0) : 0),
                                most(nodes, [](const Node& n) { return n.cpu.cores; }));
  if (!nodes.front()->cpu.model.empty() && sockets > 0 && cores > 0)  // not every machine tells
    out += fmt::format("    cpus: {{model: {}, sockets: {:.0f}, cores: {:.0f}}}\n",
                       word(nodes.front()->cpu.model), sockets, cores);
  const double memory = std::max(server && server->memory ? server->memory->low : 0,
                                 most(nodes, [](const Node& n) { return n.memory_bytes; }));
  if (memory > 0)
    out += fmt::format("    memory: {:.0f} MB  # guess: {}\n", std::floor(memory / 1e6),
                       server && server->memory ? "by the server's model, or the most found"
                                                : "the most found on one node");
  std::map<std::string, int> drives;
  for (const Node* n : nodes) ++drives[fmt::format("{}", n->drives.size())];
  if (const std::string count = usual(drives); !count.empty() && count != "0")
    out += fmt::format("    drives: {}  # guess: what most have\n", count);
  draft_rails(nodes, server, out);
  if (const std::string& control = nodes.front()->condition.interface;
      !control.empty() && control != "lo")
    if (std::all_of(nodes.begin(), nodes.end(),
                    [&](const Node* n) { return n->condition.interface == control; }))
      out += fmt::format(
          "    networks:\n      control: {{device: {}}}  # by which they reached this machine\n",
          word(control));
  draft_versions(nodes, out);
  return out;
}

std::string draft_fabric(const std::vector<Node>& nodes, const DraftFacts& facts,
                         const Catalogue& c) {
  Rails best;
  for (const Node& n : nodes)
    if (Rails r = rails_of(n); r.rate > best.rate) best = std::move(r);
  std::string leaves;
  std::map<std::string, int> hung;
  for (const auto& [leaf, members] : facts.leaves) {
    std::vector<std::string> ours;
    for (const Node& n : nodes)
      if (std::find(members.begin(), members.end(), n.name) != members.end())
        ours.push_back(n.name), ++hung[n.name];
    if (!ours.empty()) leaves += fmt::format("    {}: {}\n", word(leaf), node_set(ours));
  }
  if (best.devices.empty() && leaves.empty()) return "";
  std::string out = "fabric:\n";
  if (const std::string name = fabric_name(best, c); !name.empty())
    out += fmt::format("  name: {}  # guess: by its ports\n", name);
  else if (!best.devices.empty())
    out += fmt::format("  kind: {}\n  rate: {}\n", best.kind, gigabits(best.rate));
  if (std::any_of(hung.begin(), hung.end(), [](const auto& h) { return h.second > 1; }))
    out += "  shape: rail-optimised  # guess: nodes hang on several leaves\n";
  if (!leaves.empty()) out += fmt::format("  leaves:  # from {}\n{}", facts.leaves_from, leaves);
  return out;
}

}  // namespace

std::string draft_cluster(const std::vector<Node>& nodes, const DraftFacts& facts,
                          const Catalogue& c) {
  if (!facts.server.empty() && !c.servers.contains(facts.server)) {
    std::vector<std::string> known;
    for (const auto& [name, model] : c.servers) known.push_back(name);
    throw std::invalid_argument(fmt::format("--server: unknown server '{}'; known are {}{}",
                                            facts.server, fmt::join(known, ", "),
                                            suggestion(facts.server, known)));
  }
  std::vector<std::pair<std::string, Members>> groups;
  for (const Node& n : nodes) {
    const std::string kind = facts.server.empty() ? kind_of(n, c) : "";
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == kind; });
    if (same == groups.end())
      groups.push_back({kind, {&n}});
    else
      same->second.push_back(&n);
  }
  std::string out =
      "# What this cluster was promised to be. Drafted from what its nodes say; what is marked as "
      "a guess wants a look.\n"
      "# accept expect shows what follows from it; docs/cluster.md tells what else can be written "
      "here.\n"
      "format: accept.cluster/1\n";
  out += fmt::format("name: {}\ngroups:\n", word(facts.name));
  // With one kind of node a silent one is most likely of that kind too.
  const bool one_kind = groups.size() == 1;
  for (std::size_t i = 0; i < groups.size(); ++i)
    out += draft_group(one_kind ? "nodes" : fmt::format("group{}", i + 1), groups[i].second,
                       one_kind ? facts.silent : std::vector<std::string>{}, facts, c);
  if (!one_kind && !facts.silent.empty())
    out += fmt::format("  # {} did not answer: put them into the group they belong to\n",
                       fold_node_set(facts.silent));
  out += draft_fabric(nodes, facts, c);
  if (!facts.scheduler.empty())
    out += fmt::format("scheduler: {{kind: {}{}}}\n", facts.scheduler,
                       facts.partition.empty() ? "" : ", partition: " + word(facts.partition));
  out +=
      "# storage:\n#   scratch: {path: /scratch, class: lustre, read: 100 GB/s, write: 50 GB/s}\n"
      "# contract:\n#   \"interconnect.nccl_all_reduce.busbw{message=8GiB,nodes=all}\": \">= 370 "
      "GB/s\"\n";
  return out;
}

}  // namespace acceptance
