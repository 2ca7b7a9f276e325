#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/reference/expect.h"
#include "reports/verdict/differences.h"
#include "reports/verdict/rules.h"
#include "suites/core/node_set.h"

namespace acceptance {
namespace {

// What a kernel keeps of the memory for itself, and rounding in what was promised; a small machine
// keeps a larger part.
constexpr double memory_tolerance = 0.03, memory_kept = 1_GiB;

void gpus(const NodeGroup& g, const Node& n, const Catalogue& c, Differences& out) {
  if (g.gpus == 0) return;
  int known = 0, all = 0;
  for (const auto& [model, count] : gpus_of(n, c)) {
    all += count;
    if (model == g.gpu) known += count;
  }
  const GpuModel& promised = c.gpus.at(g.gpu);
  const int have = promised.pci.empty() ? all : known;
  if (have < g.gpus)
    out.add(n.name, "GPUs", Verdict::fail,
            fmt::format("{} of {} promised {} are there{}", have, g.gpus, g.gpu,
                        all > have ? fmt::format(" ({} of other models)", all - have) : ""),
            "see lspci and the kernel log; reseat or replace the missing ones");
}

void processors(const NodeGroup& g, const Node& n, Differences& out) {
  if (g.sockets > 0 && n.cpu.sockets < g.sockets)
    out.add(n.name, "sockets", Verdict::fail,
            fmt::format("{} of {} promised", n.cpu.sockets, g.sockets),
            "see the BIOS: a processor is missing or off");
  if (g.cores > 0 && n.cpu.cores < g.cores)
    out.add(n.name, "cores", Verdict::fail, fmt::format("{} of {} promised", n.cpu.cores, g.cores),
            "see the BIOS for cores switched off, and the model");
  if (!g.cpu.empty() && n.cpu.model != g.cpu)
    out.add(n.name, "processor", Verdict::fail,
            fmt::format("is {}, promised was {}", n.cpu.model, g.cpu), "ask the supplier");
  if (g.memory > 0 &&
      n.memory_bytes < g.memory - std::max(g.memory * memory_tolerance, memory_kept))
    out.add(n.name, "memory", Verdict::fail,
            fmt::format("{:.4g} of {:.4g} GB promised", n.memory_bytes / 1e9, g.memory / 1e9),
            "see which module is missing (dmidecode -t memory)");
  if (g.drives > 0 && static_cast<int>(n.drives.size()) < g.drives)
    out.add(n.name, "drives", Verdict::fail,
            fmt::format("{} of {} promised", n.drives.size(), g.drives),
            "see lsblk and the kernel log");
}

const Nic* nic_named(const Node& n, const std::string& device) {
  for (const Nic& nic : n.nics)
    if (nic.name == device || nic.rdma == device) return &nic;
  return nullptr;
}

std::optional<double> rate_of_rdma_port(const std::string& rate) {  // "400 Gb/sec (4X NDR)"
  char* end = nullptr;
  const double gigabits = std::strtod(rate.c_str(), &end);
  return end != rate.c_str() && gigabits > 0 ? std::optional(gigabits * 1e9 / 8) : std::nullopt;
}

void port(const Node& n, const std::string& use, const PortPromise& p, Differences& out) {
  if (p.device.empty()) return;
  std::optional<double> rate;
  bool there = false;
  if (const Nic* nic = nic_named(n, p.device)) {
    there = true;
    rate = nic->speed;
  }
  for (const RdmaPort& r : n.rdma)
    if (r.device == p.device) {
      there = true;
      if (const auto of_port = rate_of_rdma_port(r.rate)) rate = of_port;
    }
  if (!there)
    out.add(n.name, "network", Verdict::fail, fmt::format("{} {} is not there", use, p.device),
            "see lspci and the kernel log");
  else if (rate && p.rate > 0 && *rate < p.rate * 0.99)
    out.add(n.name, "network", Verdict::fail,
            fmt::format("{} {} runs at {:.0f} of {:.0f} Gbit/s promised", use, p.device,
                        *rate * 8e-9, p.rate * 8e-9),
            "see the cable, the transceiver and the switch's port");
}

void control_network(const NodeGroup& g, const Node& n, Differences& out) {
  const auto promised = g.networks.find("control");
  const std::string& used = n.condition.interface;
  if (promised == g.networks.end() || promised->second.device.empty()) return;
  if (used.empty() || used == "lo" || used == promised->second.device) return;
  out.add(n.name, "network", Verdict::remark,
          fmt::format("reached the head by {}, the control network is {}", used,
                      promised->second.device),
          "see the routes to the head; --head-address names another address of it");
}

/// Without names of devices the rates of the ports are summed up: a rail may be run as two ports of
/// half the rate. Slower ports, and those of other networks, are none.
void unnamed_rails(const NodeGroup& g, const Node& n, bool over_ethernet, Differences& out) {
  if (g.rails.empty() || !g.rails[0].device.empty() || g.rails[0].rate <= 0) return;
  const double rate = g.rails[0].rate;
  const auto of_other_use = [&](const std::string& device) {
    return !device.empty() && std::any_of(g.networks.begin(), g.networks.end(),
                                          [&](const auto& p) { return p.second.device == device; });
  };
  double sum = 0;
  bool unread = n.rdma.empty() && n.nics.empty();
  const auto take = [&](const std::optional<double>& port) {
    if (!port) unread = true;
    if (port && *port >= rate * 0.49) sum += *port;
  };
  for (const RdmaPort& r : n.rdma)
    if (!of_other_use(r.device)) take(rate_of_rdma_port(r.rate));
  if (over_ethernet || n.rdma.empty())
    for (const Nic& nic : n.nics)
      if (nic.physical && nic.rdma.empty() && !of_other_use(nic.name)) take(nic.speed);
  const double have = std::floor(sum / rate * 100 + 0.5) / 100;
  if (have < static_cast<double>(g.rails.size()))
    out.add(n.name, "rails", unread ? Verdict::inconclusive : Verdict::fail,
            fmt::format("{:g} of {} ports of {:.0f} Gbit/s promised{}", have, g.rails.size(),
                        rate * 8e-9, unread ? "; not all tell their rate" : ""),
            "see links that are down or trained lower, and missing adapters");
}

/// Drivers and firmware say more than their version: "28.39.1002 (MT_0000000838)".
bool has_word(const std::string& text, const std::string& word) {
  return !word.empty() && (" " + text + " ").find(" " + word + " ") != std::string::npos;
}

void versions(const NodeGroup& g, const Node& n, Differences& out) {
  for (const auto& [what, promised] : g.versions) {
    std::string have;
    if (const auto s = n.system.find(what); s != n.system.end()) have = s->second;
    if (const auto s = n.software.find(what); s != n.software.end()) have = s->second;
    if (have.empty() && what == "microcode") have = n.cpu.microcode.value_or("");
    for (const Nic& nic : n.nics)
      if (nic.name == what) have = nic.firmware.value_or("");
    if (have != promised && !has_word(have, promised))
      out.add(n.name, what, Verdict::remark,
              fmt::format("is {}, promised was {}", have.empty() ? "not known" : have, promised),
              "bring all nodes to the version agreed on");
  }
}

}  // namespace

std::vector<Finding> judge_drift(const Cluster& cluster, const std::vector<Node>& nodes,
                                 const Catalogue& catalogue) {
  Differences out("machine.drift");
  for (const Node& n : nodes) {
    const NodeGroup* g = group_of(cluster, n.name);
    if (!g) {
      out.add(n.name, "promise", Verdict::remark, "is in no group of cluster.yaml",
              "add it there, or leave it out of the run");
      continue;
    }
    gpus(*g, n, catalogue, out);
    processors(*g, n, out);
    for (const PortPromise& rail : g->rails) port(n, "rail", rail, out);
    for (const auto& [use, p] : g->networks) port(n, use, p, out);
    control_network(*g, n, out);
    unnamed_rails(*g, n, cluster.fabric.kind == "ethernet", out);
    versions(*g, n, out);
  }
  return out.take();
}

std::vector<Finding> judge_coverage(const RunFiles& files, const std::vector<Finding>& findings) {
  const Cluster* c = files.promise.promised();
  if (!c) return {};
  std::vector<Finding> out;
  const auto add = [&](const std::string& test, const std::string& metric,
                       std::vector<std::string> where, Verdict verdict, std::string reason,
                       std::string remedy) {
    Finding f;
    f.test = test;
    f.metric = metric;
    f.where = std::move(where);
    f.verdict = verdict;
    f.reason = std::move(reason);
    f.remedy = std::move(remedy);
    out.push_back(std::move(f));
  };
  std::set<std::string> seen;
  for (const Node& n : files.nodes) seen.insert(n.name);
  for (const Record& r : files.records)
    if (r.assignment.test == probe_test) seen.insert(r.assignment.places.at(0));
  std::vector<std::string> absent;
  for (const std::string& n : node_names(*c))
    if (!seen.contains(n)) absent.push_back(n);
  const bool all =
      files.run.contains("request") && files.run["request"].value("nodes", "") == "all";
  if (!absent.empty())
    add("machine.coverage", "nodes", {"cluster"}, all ? Verdict::not_run : Verdict::remark,
        fmt::format("{} of {} promised nodes are no part of this run: {}", absent.size(),
                    node_names(*c).size(), fold_node_set(absent)),
        "accept run --nodes all");
  for (const ContractFigure& figure : c->contract) {
    const bool measured = std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
      std::vector<std::string> places;
      for (const std::string& place : f.where)
        if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
      return f.measured && speaks_of(figure, *c, f.test, f.metric, f.point, places);
    });
    if (!measured)
      add(figure.test, figure.metric, {"cluster"}, Verdict::not_run,
          fmt::format("the contract's figure {} was not measured", figure.key),
          "run the test on the nodes and at the point that the contract names");
    if (!measured) {
      Reference r;
      r.authority = "contract";
      r.derivation = "contract, " + figure.key;
      r.source = "cluster.yaml";
      out.back().reference = r;
    }
  }
  return out;
}

}  // namespace acceptance
