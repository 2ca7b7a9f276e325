#include "reports/verdict/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "suites/core/text.h"

namespace acceptance {
namespace {

constexpr double btu_per_hour_and_watt = 3.412142;
constexpr int gpus_that_train = 64;  // from here on checkpoints outgrow NFS
constexpr int nodes_that_need_a_spare = 8;
constexpr double least_checkpoint_rate = 50e9;  // B/s, where NVMe over fabrics is promised
// NVLink 900 GB/s to one 400 Gbit/s rail of 50 GB/s is 18 : 1 on an 8-GPU server.
constexpr double usual_ratio = 18, wide_ratio = 1.25 * usual_ratio;

Finding rule(const std::string& name, const std::vector<std::string>& where, std::string reason,
             std::string remedy) {
  Finding f;
  f.test = "rule." + name;
  f.metric = "promise";
  f.where = where;
  f.verdict = Verdict::remark;
  f.reason = std::move(reason);
  f.remedy = std::move(remedy);
  return f;
}

void rails_for_gpus(const NodeGroup& g, std::vector<Finding>& out) {
  const int rails = static_cast<int>(g.rails.size());
  if (g.gpus < 2 || rails >= g.gpus) return;
  out.push_back(
      rule("rail-per-gpu", {g.name},
           fmt::format("{} GPUs share {} rail(s){}", g.gpus, rails,
                       rails * 4 < g.gpus ? ": fewer than one for four" : ": fewer than one each"),
           rails * 4 < g.gpus
               ? "training over nodes wants at least a rail for four GPUs, better one each"
               : "collectives over nodes run at the rails' rate; one each is usual for training"));
}

void links_for_training(const NodeGroup& g, const Catalogue& c, bool several_nodes,
                        std::vector<Finding>& out) {
  const auto gpu = c.gpus.find(g.gpu);
  if (gpu == c.gpus.end() || g.gpus < 2) return;
  const auto& link = gpu->second.link;
  const bool pcie_only = !link || (link->topology == "bridge" && g.gpus > 2);
  if (pcie_only && several_nodes && !g.rails.empty())
    out.push_back(rule("pcie-only", {g.name},
                       fmt::format("{} {} reach one another over PCIe alone", g.gpus, g.gpu),
                       "fine for serving; training loses most of its time in collectives"));
  if (pcie_only || g.rails.empty() || g.rails[0].rate <= 0 || g.gpus < 8) return;
  const double rail = static_cast<double>(g.rails.size()) * g.rails[0].rate / g.gpus;
  if (const double ratio = link->both_ways / rail; ratio > wide_ratio)
    out.push_back(rule(
        "network-ratio", {g.name},
        fmt::format(
            "links within the node are {:.0f} times the rail of a GPU ({} to {}); {:.0f} is usual",
            ratio, format(link->both_ways, Unit::bytes_per_second),
            format(rail, Unit::bytes_per_second), usual_ratio),
        "expect collectives over nodes to fall far behind those within; more or faster rails"));
}

void networks_apart(const NodeGroup& g, std::vector<Finding>& out) {
  if (g.rails.empty()) return;
  for (const char* use : {"storage", "management"}) {
    const auto network = g.networks.find(use);
    if (network == g.networks.end())
      out.push_back(rule("separate-networks", {g.name},
                         fmt::format("no {} network of its own is promised", use),
                         "storage and management traffic on the rails disturbs collectives; give "
                         "them ports of their own"));
    else if (!network->second.device.empty() &&
             std::any_of(g.rails.begin(), g.rails.end(),
                         [&](const PortPromise& r) { return r.device == network->second.device; }))
      out.push_back(
          rule("separate-networks", {g.name},
               fmt::format("{} is a rail and the {} network", network->second.device, use),
               "keep rails for collectives alone"));
  }
}

void checkpoint_storage(const Cluster& c, const Catalogue& catalogue, std::vector<Finding>& out) {
  int gpus = 0;
  for (const NodeGroup& g : c.groups) gpus += g.gpus * static_cast<int>(g.nodes.size());
  for (const StoragePromise& s : c.storage) {
    const auto model = catalogue.storage.find(s.model);
    if (model == catalogue.storage.end()) continue;
    if (!model->second.suits_checkpoints && gpus >= gpus_that_train)
      out.push_back(rule("checkpoint-storage", {s.name},
                         fmt::format("{} takes the checkpoints of {} GPUs", s.model, gpus),
                         "from about 64 GPUs on use a parallel file system or NVMe over fabrics"));
    if (model->second.checkpoint_rate && s.write < least_checkpoint_rate)
      out.push_back(rule("checkpoint-storage", {s.name},
                         s.write > 0
                             ? fmt::format("{} is promised {} of writing; {} and more is usual",
                                           s.model, format(s.write, Unit::bytes_per_second),
                                           format(least_checkpoint_rate, Unit::bytes_per_second))
                             : fmt::format("{} is promised without a rate", s.model),
                         "have the rate put into the contract, or more of it"));
  }
}

void power_and_heat(const Cluster& c, std::vector<Finding>& out) {
  double watts = 0;
  std::vector<std::string> unknown, all;
  for (const NodeGroup& g : c.groups) {
    all.push_back(g.name);
    if (g.power <= 0) unknown.push_back(g.name);
    watts += g.power * static_cast<double>(g.nodes.size());
  }
  if (c.power_budget <= 0 && c.heat_budget <= 0) return;
  if (!unknown.empty()) {
    out.push_back(rule("power", unknown,
                       "their power at full load is not known, so the budget can't be checked",
                       "put it into cluster.yaml (power: … W for one node)"));
    return;
  }
  const std::string load = fmt::format("{} at full load, {:.0f} BTU/h of heat",
                                       format(watts, Unit::watts), watts * btu_per_hour_and_watt);
  for (const auto& [budget, what] : {std::pair{c.power_budget, "power"}, {c.heat_budget, "heat"}})
    if (budget > 0 && watts > budget) {
      out.push_back(
          rule("power", all,
               fmt::format("{}; the budget of {} is {}", load, what, format(budget, Unit::watts)),
               "fewer nodes, a power limit, or more of it: GPUs throttle, or a feed trips"));
      out.back().verdict = Verdict::fail;
    }
}

}  // namespace

std::vector<Finding> judge_promise(const Cluster& c, const Catalogue& catalogue) {
  std::vector<Finding> out;
  const std::size_t nodes = node_names(c).size();
  for (const NodeGroup& g : c.groups) {
    rails_for_gpus(g, out);
    links_for_training(g, catalogue, nodes > 1, out);
    networks_apart(g, out);
  }
  checkpoint_storage(c, catalogue, out);
  if (c.spare_nodes == 0 && nodes >= nodes_that_need_a_spare)
    out.push_back(
        rule("spare-node", {"cluster"}, fmt::format("{} nodes and no spare one", nodes),
             "a job that needs all of them waits for every repair; keep one aside (spare_nodes)"));
  power_and_heat(c, out);
  apply_policy(c.policy, out);
  return out;
}

bool required_by(const Policy& policy, const std::string& test) {
  if (policy.required.empty() || test.starts_with("machine.") || test.starts_with("rule."))
    return true;
  return std::any_of(policy.required.begin(), policy.required.end(),
                     [&](const std::string& wanted) {
                       return test.starts_with(wanted + ".") || glob(wanted, test);
                     });
}

void apply_policy(const Policy& policy, std::vector<Finding>& findings) {
  std::erase_if(findings, [&](Finding& f) {
    if (f.reference && f.reference->authority == "contract") return false;
    if (f.required && f.culprits.empty() && !required_by(policy, f.test)) {
      f.required = false;
      if (f.verdict == Verdict::inconclusive || f.verdict == Verdict::not_run)
        f.reason += "; not required by the policy";
    }
    for (const auto& [what, severity] : policy.severity) {
      if (!glob(what, f.test)) continue;
      const bool is_rule = f.test.starts_with("rule.");
      // A wrong result is no matter of taste: only figures and what is said about nodes soften.
      if (!is_rule && !f.test.starts_with("machine.") && !f.measured) continue;
      if (severity == "ignore" && is_rule) return true;
      const bool beside_others = f.test == "machine.fleet" || f.test == "machine.pairs";
      if (severity == "fail" && (is_rule || (beside_others && !f.culprits.empty())) &&
          f.verdict == Verdict::remark)
        f.verdict = Verdict::fail;
      if (severity == "fail" || f.verdict != Verdict::fail) continue;
      f.verdict = Verdict::remark;
      f.reason +=
          fmt::format("; a failure, which the policy makes a remark ({}: {})", what, severity);
    }
    return false;
  });
}

}  // namespace acceptance
