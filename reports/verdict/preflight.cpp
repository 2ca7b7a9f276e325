#include "reports/verdict/preflight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace acceptance {
namespace {

using Names = std::vector<std::string>;

Finding finding(const char* check, Verdict verdict, const Names& where, std::string reason,
                std::string remedy) {
  Finding f;
  f.test = "machine.preflight";
  f.metric = check;
  f.where = where;
  f.verdict = verdict;
  f.reason = std::move(reason);
  f.remedy = std::move(remedy);
  if (verdict == Verdict::fail) f.culprits = where;
  return f;
}

/// Those who differ from what most have. Where no value is more frequent than all others, nobody
/// can be said to be the odd one.
void compare(std::vector<Finding>& out, const std::vector<Node>& nodes, const char* check,
             Verdict verdict, const std::function<std::string(const Node&)>& value,
             const std::string& remedy) {
  std::map<std::string, Names> holders;
  for (const Node& n : nodes)
    if (const std::string v = value(n); !v.empty()) holders[v].push_back(n.name);
  if (holders.size() < 2) return;
  const auto more = [](const auto& x, const auto& y) { return x.second.size() < y.second.size(); };
  const auto most = std::max_element(holders.begin(), holders.end(), more);
  const bool tie = std::count_if(holders.begin(), holders.end(), [&](const auto& h) {
                     return h.second.size() == most->second.size();
                   }) > 1;
  if (tie) {
    Names all;
    std::string what;
    for (const auto& [v, names] : holders) {
      all.insert(all.end(), names.begin(), names.end());
      what += fmt::format("{}{}: {}", what.empty() ? "" : "; ", names[0], v);
    }
    out.push_back(finding(check, verdict, all, "differs between the nodes: " + what, remedy));
    out.back().culprits.clear();
    return;
  }
  for (const auto& [v, names] : holders)
    if (v != most->first)
      out.push_back(finding(
          check, verdict, names,
          fmt::format("is {}, while {} other node(s) have {}", v, most->second.size(), most->first),
          remedy));
}

/// Nodes whose figure is below (or above) what is needed, gathered into one finding. `reason` has a
/// {} for the first one's figure.
void require(std::vector<Finding>& out, const std::vector<Node>& nodes, const char* check,
             const std::function<std::optional<double>(const Node&)>& value,
             const std::function<bool(const Node&, double)>& bad, Unit unit,
             const std::string& reason, const std::string& remedy) {
  Names names;
  double first = 0;
  for (const Node& n : nodes)
    if (const auto v = value(n); v && bad(n, *v)) {
      if (names.empty()) first = *v;
      names.push_back(n.name);
    }
  if (names.empty()) return;
  out.push_back(finding(check, Verdict::remark, names,
                        fmt::format(fmt::runtime(reason), format(first, unit)), remedy));
}

// munge and Kerberos refuse credentials that are this much older or younger than their own clock
// (munge(7): TTL 300 s; krb5.conf(5): clockskew 300 s).
constexpr double clock_unusable_seconds = 300;
constexpr double clock_odd_seconds = 1;

/// Clocks against the median of all, the head's own among them: one that is wrong does not make the
/// others look wrong.
void judge_clocks(std::vector<Finding>& out, const std::vector<Node>& nodes) {
  std::vector<double> all{0};
  for (const Node& n : nodes)
    if (n.condition.clock_offset) all.push_back(*n.condition.clock_offset);
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                   all.end());
  const double median = all[all.size() / 2];
  for (const Node& n : nodes) {
    if (!n.condition.clock_offset) continue;
    const double off = *n.condition.clock_offset - median;
    if (std::abs(off) < clock_odd_seconds + n.condition.clock_uncertainty.value_or(0)) continue;
    out.push_back(finding(
        "clock", std::abs(off) < clock_unusable_seconds ? Verdict::remark : Verdict::fail, {n.name},
        fmt::format("its clock is {:.1f} s {} those of the others", std::abs(off),
                    off > 0 ? "ahead of" : "behind"),
        "set it by NTP or PTP (chronyc tracking; timedatectl)"));
  }
}

/// Devices by PCI inventory, so that none needs a driver to be missed: among servers of one model
/// whoever has fewer of a kind than most.
void judge_devices(std::vector<Finding>& out, const std::vector<Node>& nodes) {
  using Kind = std::pair<std::string, std::string>;  // server model, device
  std::map<Kind, std::map<std::string, int>> counts;
  std::map<std::string, Names> servers;
  const auto model = [](const Node& n) {
    const auto it = n.system.find("product_name");
    return it == n.system.end() ? std::string() : it->second;
  };
  for (const Node& n : nodes) {
    servers[model(n)].push_back(n.name);
    for (const PciDevice& p : n.pci) {
      const std::string device = fmt::format("{} {}:{}", p.kind, p.vendor, p.device);
      ++counts[{model(n), device}][n.name];
    }
  }
  for (const auto& [kind, by_node] : counts) {
    std::map<int, int> frequency;
    for (const std::string& name : servers[kind.first]) {
      const auto it = by_node.find(name);
      ++frequency[it == by_node.end() ? 0 : it->second];
    }
    const auto usual = std::max_element(frequency.begin(), frequency.end(),
                                        [](auto& x, auto& y) { return x.second < y.second; });
    if (usual->second * 2 <= static_cast<int>(servers[kind.first].size())) continue;  // no majority
    for (const std::string& name : servers[kind.first]) {
      const auto it = by_node.find(name);
      const int has = it == by_node.end() ? 0 : it->second;
      if (has < usual->first)
        out.push_back(
            finding("devices", Verdict::fail, {name},
                    fmt::format("{} of {} devices '{}' that {} server(s) of its model have", has,
                                usual->first, kind.second, usual->second),
                    "look for it with lspci; reseat it; see the kernel log for its slot"));
    }
  }
}

bool on_a_rail(const Node& n) {
  const auto nic = std::find_if(n.nics.begin(), n.nics.end(),
                                [&](const Nic& x) { return x.name == n.condition.interface; });
  return nic != n.nics.end() && !nic->rdma.empty();
}

}  // namespace

std::vector<Finding> judge_preflight(const std::vector<Node>& nodes) {
  std::vector<Finding> out;
  compare(
      out, nodes, "mpi", Verdict::fail, [](const Node& n) { return n.condition.mpi; },
      "install the same MPI on all nodes");
  const auto fact = [](const char* key) {
    return [key](const Node& n) {
      const auto it = n.system.find(key);
      return it == n.system.end() ? std::string() : it->second;
    };
  };
  compare(out, nodes, "kernel", Verdict::remark, fact("kernel"),
          "boot the same kernel on all nodes");
  judge_clocks(out, nodes);
  judge_devices(out, nodes);

  constexpr double shared_memory_needed = 1.0 * (1 << 30);  // NCCL's guide: --shm-size=1g
  require(
      out, nodes, "shared memory", [](const Node& n) { return n.condition.shared_memory; },
      [](const Node&, double v) { return v < shared_memory_needed; }, Unit::bytes,
      "/dev/shm has {}; MPI and NCCL want at least 1 GiB", "mount -o remount,size=50% /dev/shm");
  constexpr double temporary_needed = 64.0 * (1 << 20);
  require(
      out, nodes, "free space", [](const Node& n) { return n.condition.temporary_free; },
      [](const Node&, double v) { return v < temporary_needed; }, Unit::bytes,
      "{} is free where temporary files go; MPI keeps its sessions there", "make room there");
  require(
      out, nodes, "locked memory", [](const Node& n) { return n.condition.locked_memory; },
      [](const Node& n, double v) { return !n.rdma.empty() && v < n.memory_bytes; }, Unit::bytes,
      "{} may be locked; RDMA has to lock all it transfers from",
      "LimitMEMLOCK=infinity for sshd and slurmd; * - memlock unlimited in limits.conf");
  const double sockets = 256 + 2 * static_cast<double>(nodes.size());
  require(
      out, nodes, "open files", [](const Node& n) { return n.condition.open_files; },
      [&](const Node&, double v) { return v < sockets; }, Unit::count,
      fmt::format("{{}} files may be open; a world of this size wants {}", sockets),
      "raise nofile in limits.conf");
  // A tenth of the cores, and half a core that a system keeps busy by itself.
  require(
      out, nodes, "other load", [](const Node& n) { return n.condition.load; },
      [](const Node& n, double v) {
        return v > 0.5 + 0.1 * static_cast<double>(n.cpu.usable.size());
      },
      Unit::count, "{} cores were kept busy by something else before the run",
      "find out what else runs there, and measure again");
  Names rails;
  for (const Node& n : nodes)
    if (on_a_rail(n)) rails.push_back(n.name);
  if (!rails.empty())
    out.push_back(finding("control network", Verdict::remark, rails,
                          "reaches the head over an interface that is an RDMA port too",
                          "name the head's address on the management network: --head-address"));
  return out;
}

std::string one_line(const Finding& f) {
  return fmt::format("{}: {} on {}: {}; what to do: {}", name(f.verdict), f.metric,
                     fmt::join(f.where, ", "), f.reason, f.remedy);
}

}  // namespace acceptance
