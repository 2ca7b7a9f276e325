#include "reports/verdict/facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "reports/verdict/suspicion.h"
#include "suites/core/distributions.h"

namespace acceptance {
namespace {

constexpr const char *leaf_fact = "leaf", *place_fact = "place in its leaf";
constexpr double by_chance = 0.05;  // of anything alike being found where there is nothing

using Text = std::map<std::string, std::string>;  // node → value
using Numbers = std::map<std::string, double>;    // node → value

bool is_own(const std::string& fact) {
  return fact.find("serial") != std::string::npos || fact.find("uuid") != std::string::npos;
}

/// Drives of a model, ports of a rate: "2 × A, 1 × B".
std::string counted(const std::map<std::string, int>& kinds) {
  std::vector<std::string> words;
  for (const auto& [kind, count] : kinds) words.push_back(fmt::format("{} × {}", count, kind));
  return fmt::format("{}", fmt::join(words, ", "));
}

void count_parts(const Node& n, std::map<std::string, std::string>& facts) {
  std::map<std::string, int> modules, drives, links;
  for (const MemorySlot& s : n.memory_slots)
    if (s.bytes > 0)
      ++modules[fmt::format("{} {}{}", format(s.bytes, Unit::bytes), s.kind,
                            s.rate ? fmt::format(" at {:.0f} MT/s", *s.rate / 1e6) : "")];
  for (const Drive& d : n.drives) {
    ++drives[d.model];
    if (!d.firmware.empty()) facts["firmware of drives " + d.model] = d.firmware;
  }
  for (const PciDevice& d : n.pci)
    if (d.link_width && (d.kind == "display" || d.kind == "accelerator" || d.kind == "network"))
      ++links[fmt::format("{} {}:{} x{}", d.kind, d.vendor, d.device, *d.link_width)];
  if (!modules.empty()) facts["memory modules"] = counted(modules);
  if (!drives.empty()) facts["drives"] = counted(drives);
  if (!links.empty()) facts["PCIe links"] = counted(links);
}

}  // namespace

std::map<std::string, std::string> facts_of(const Node& n) {
  std::map<std::string, std::string> facts;
  const auto put = [&](const std::string& fact, const std::optional<std::string>& value) {
    if (value && !value->empty()) facts[fact] = *value;
  };
  for (const auto& [fact, value] : n.system)
    if (!is_own(fact)) put(fact, value);
  for (const auto& [fact, value] : n.software) put(fact, value);
  for (const auto& [fact, value] : n.limits) put(fact, value);
  put("CPU model", n.cpu.model);
  put("microcode", n.cpu.microcode);
  put("CPU governor", n.cpu.governor);
  put("hypervisor", n.cpu.hypervisor);
  put("sockets", std::to_string(n.cpu.sockets));
  put("cores", std::to_string(n.cpu.cores));
  put("MPI", n.condition.mpi);
  for (const Nic& nic : n.nics) {
    if (!nic.physical && nic.rdma.empty()) continue;
    const std::string what = "NIC " + (nic.rdma.empty() ? nic.name : nic.rdma);
    put(what + " firmware", nic.firmware);
    put(what + " driver", nic.driver);
    if (nic.speed) facts[what + " rate"] = fmt::format("{:.0f} Gbit/s", *nic.speed * 8e-9);
  }
  for (const RdmaPort& r : n.rdma) {
    put(fmt::format("NIC {} firmware", r.device), r.firmware);
    put(fmt::format("NIC {} port {} rate", r.device, r.port), r.rate);
  }
  count_parts(n, facts);
  return facts;
}

namespace {

/// What some nodes could have in common.
class Traits {
 public:
  Traits(std::map<std::string, Text> text, std::map<std::string, Numbers> numbers,
         std::size_t equals)
      : text_(std::move(text)), numbers_(std::move(numbers)) {
    // What is the same everywhere, or everywhere another, tells nothing.
    std::erase_if(text_, [&](const auto& fact) {
      std::set<std::string> values;
      for (const auto& [node, value] : fact.second) values.insert(value);
      return values.size() < 2 || values.size() == equals;
    });
    std::erase_if(numbers_, [&](const auto& fact) { return fact.second.size() < equals; });
  }

  /// What several share: the least likely, if it is unlikely enough.
  std::string shared(const std::set<std::string>& low, std::size_t all) const {
    std::set<std::set<std::string>> compared;  // two facts that part the nodes alike are one
    double least = 1;
    std::string told;
    const auto weigh = [&](const std::set<std::string>& with, const std::string& words) {
      compared.insert(with);
      const double chance =
          hypergeometric_at_least(common(with, low), all, with.size(), low.size());
      if (chance >= least) return;
      least = chance;
      told = words;
    };
    for (const auto& [fact, values] : text_) {
      std::map<std::string, std::set<std::string>> by_value;
      for (const auto& [node, value] : values) by_value[value].insert(node);
      for (const auto& [value, with] : by_value) {
        const std::size_t both = common(with, low);
        weigh(with, fmt::format("{} have {} \"{}\", which {}", of_them(both, low.size()), fact,
                                value, others(with.size() - both, all - low.size())));
      }
    }
    for (const auto& [fact, values] : numbers_)
      for (const bool highest : {false, true}) {
        const std::set<std::string> extreme = extremes(values, low.size(), highest);
        const std::size_t both = common(extreme, low);
        weigh(extreme, fmt::format("{} are among the {} with the {} {}", of_them(both, low.size()),
                                   extreme.size(), highest ? "highest" : "lowest", fact));
      }
    const double chance = least * static_cast<double>(compared.size());
    if (told.empty() || chance > by_chance) return "";
    return fmt::format("{} (by chance {})", told, odds_text(chance));
  }

  /// In what one stands alone; of all that is known the first three.
  std::string alone(const std::string& node) const {
    std::vector<std::string> words;
    for (const auto& [fact, values] : text_) {
      const auto own = values.find(node);
      if (own == values.end() || fact == leaf_fact || fact == place_fact) continue;
      std::set<std::string> others;
      for (const auto& [name, value] : values)
        if (name != node) others.insert(value);
      if (others.size() == 1 && !others.contains(own->second))
        words.push_back(
            fmt::format("{} \"{}\" (all others \"{}\")", fact, own->second, *others.begin()));
    }
    constexpr std::size_t most = 3;
    if (words.size() > most) words.resize(most);
    return words.empty() ? "" : fmt::format("it alone has {}", fmt::join(words, ", "));
  }

 private:
  static std::size_t common(const std::set<std::string>& a, const std::set<std::string>& b) {
    return static_cast<std::size_t>(
        std::count_if(a.begin(), a.end(), [&](const std::string& n) { return b.contains(n); }));
  }
  static std::string of_them(std::size_t some, std::size_t all) {
    return some == all ? fmt::format("all {} of them", all)
                       : fmt::format("{} of these {}", some, all);
  }
  static std::string others(std::size_t some, std::size_t all) {
    return some == 0 ? "no other has" : fmt::format("{} of the other {} have", some, all);
  }
  static std::set<std::string> extremes(const Numbers& values, std::size_t count, bool highest) {
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [node, value] : values) order.emplace_back(highest ? -value : value, node);
    std::sort(order.begin(), order.end());
    std::set<std::string> out;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i) out.insert(order[i].second);
    return out;
  }

  std::map<std::string, Text> text_;
  std::map<std::string, Numbers> numbers_;
};

}  // namespace

Likeness::Likeness(const RunFiles& files) {
  const Cluster* promised = files.promise.promised();
  for (const Node& n : files.nodes) {
    auto& facts = facts_[n.name] = facts_of(n);
    if (n.cpu.measured_hz) numbers_[n.name]["clock"] = *n.cpu.measured_hz;
    const std::string leaf = promised ? leaf_of(*promised, n.name) : "";
    if (leaf.empty()) continue;
    const auto& on_leaf = promised->fabric.leaves.at(leaf);
    facts[leaf_fact] = leaf;
    facts[place_fact] =
        std::to_string(std::find(on_leaf.begin(), on_leaf.end(), n.name) - on_leaf.begin() + 1);
  }
  std::map<std::string, std::map<std::string, std::pair<double, int>>> observed;
  for (const Record& r : files.records)
    for (const Observation& o : r.observations)
      if (r.assignment.places.size() == 1 && o.value.is_number() && o.unit == Unit::hertz) {
        auto& [sum, count] = observed[r.assignment.places[0]][o.name];
        sum += o.value.number();
        ++count;
      }
  for (const auto& [node, all] : observed)
    for (const auto& [what, sum] : all) numbers_[node][what] = sum.first / sum.second;
}

std::string Likeness::set_apart(const std::vector<std::string>& equals,
                                const std::vector<std::string>& low) const {
  const std::set<std::string> of(low.begin(), low.end());
  if (of.empty() || of.size() >= equals.size()) return "";
  std::map<std::string, Text> text;
  std::map<std::string, Numbers> numbers;
  for (const std::string& node : equals) {
    if (const auto it = facts_.find(node); it != facts_.end())
      for (const auto& [fact, value] : it->second) text[fact][node] = value;
    if (const auto it = numbers_.find(node); it != numbers_.end())
      for (const auto& [what, value] : it->second) numbers[what][node] = value;
  }
  const Traits traits(std::move(text), std::move(numbers), equals.size());
  return of.size() == 1 ? traits.alone(*of.begin()) : traits.shared(of, equals.size());
}

}  // namespace acceptance
