#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/verdict/equal_places.h"
#include "reports/verdict/facts.h"
#include "reports/verdict/suspicion.h"
#include "suites/core/node_set.h"
#include "suites/core/statistics.h"

namespace acceptance {
namespace {

using Level = PairFault::Level;
constexpr const char* rule = "machine.pairs";

/// The part to blame; a way between two is one part, and neither of them.
std::string part(const PairFault& f) {
  switch (f.level) {
    case Level::rail: return fmt::format("rail {}", f.rail);
    case Level::leaf: return "leaf " + f.culprits[0];
    case Level::leaf_pair: return fmt::format("leaves {}", fmt::join(f.culprits, " - "));
    case Level::link: return fmt::format("link {}", fmt::join(f.culprits, " - "));
    default: return f.culprits[0];
  }
}

std::string who(const PairFault& f, std::size_t rails) {
  const std::string rail = rails > 1 ? fmt::format(" on rail {}", f.rail) : "";
  switch (f.level) {
    case Level::node: return fmt::format("{} to all others", f.culprits[0]);
    case Level::port: return fmt::format("{}{} to all others", f.culprits[0], rail);
    case Level::direction:
      return fmt::format("what {} {}{}", f.culprits[0], f.sends ? "sends" : "receives", rail);
    case Level::rail: return fmt::format("rail {}", f.rail);
    case Level::leaf:
      return fmt::format("leaf {}{}", f.culprits[0], f.inside ? "" : " on its way up");
    case Level::leaf_pair:
      return fmt::format("the way between leaves {}", fmt::join(f.culprits, " and "));
    case Level::link:
    case Level::mixed: break;
  }
  return fmt::format("the way between {}{}", fmt::join(f.culprits, " and "), rail);
}

bool is_of_a_node(Level level) {
  return level == Level::node || level == Level::port || level == Level::direction;
}

std::string remedy(const PairFault& f) {
  switch (f.level) {
    case Level::node:
    case Level::port:
    case Level::direction:
      return "look at this node's NIC (link rate, width, errors, firmware, PCIe link), its cable "
             "and its port of the switch; then run again";
    case Level::rail: return "look at the switches of this rail; then run again";
    case Level::leaf:
    case Level::leaf_pair: return "look at this switch, its uplinks and the spine; then run again";
    default: break;
  }
  return "both nodes are well with others: look at the switch ports and the way between them "
         "(routing, one bad spine link); where routes adapt, whether other pairs between the same "
         "leaves are slow too tells the spine from the ports; then run again";
}

/// Whom the records of a pair call slow: all pairs with both ends given, or with one of these
/// nodes.
bool concerns(const PairFault& f, const PairMatrix& m, const PairCell& c) {
  const auto has = [&](const std::string& name) {
    return std::find(f.culprits.begin(), f.culprits.end(), name) != f.culprits.end();
  };
  switch (f.level) {
    case Level::link: return has(m.nodes[c.from]) && has(m.nodes[c.to]);
    case Level::leaf: return has(m.leaves[c.from]) || has(m.leaves[c.to]);
    case Level::leaf_pair: return has(m.leaves[c.from]) && has(m.leaves[c.to]);
    case Level::rail: return c.rail == f.rail;
    default: return has(m.nodes[c.from]) || has(m.nodes[c.to]);
  }
}

double usual_figure(const PairMatrix& m) {
  std::vector<double> figures;
  for (const PairCell& c : m.cells) figures.push_back(c.figure);
  return median(figures);
}

void add(Suspicion& s, const RunPairs& p, const PairFault& f, const Floors& floors) {
  s.test = p.test;
  s.metric = p.metric;
  s.unit = p.unit;
  s.better = p.matrix.better;
  s.who = who(f, p.matrix.rails);
  s.equals = fmt::format("what is usual between {} nodes", p.matrix.nodes.size());
  s.where = f.culprits;
  s.culprits = {part(f)};
  ++s.count;
  s.chance = std::min(s.chance, f.chance);
  bool looked = false;
  for (const PairCell& c : p.matrix.cells)
    if (concerns(f, p.matrix, c)) {
      looked = looked || c.again > 0;
      floors.tell(s, p.point, {p.matrix.nodes[c.from], p.matrix.nodes[c.to]});
    }
  s.looked = s.looked || looked;
  s.agreed = s.agreed && agrees(f.off, f.again, p.matrix.least);
  if (f.off <= s.off) return;
  s.off = f.off;
  s.again = f.again;
  s.usual = usual_figure(p.matrix);
  s.points = key(p.point);
}

Finding not_homogeneous(const RunPairs& p, const PairFault& f, int count) {
  Finding out;
  out.test = rule;
  out.metric = p.test + " " + p.metric;
  out.required = false;
  out.verdict = Verdict::remark;
  out.where = f.culprits.empty() ? p.matrix.nodes : f.culprits;
  out.reason = fmt::format(
      "not homogeneous: {} are {} off what is usual, too many to be single faults ({}{})",
      f.culprits.empty() ? "ways between nodes"
                         : fmt::format("the ways of {}", fold_node_set(f.culprits)),
      format(f.off, Unit::ratio), key(p.point),
      count > 1 ? fmt::format(", the worst of {} points", count) : "");
  out.remedy =
      "name the leaves in cluster.yaml, so that near and far are told apart; compare the "
      "nodes' ports and firmware (accept probe)";
  return out;
}

}  // namespace

std::vector<Finding> judge_pairs(const RunFiles& files, const std::vector<RunPairs>& pairs,
                                 const std::vector<Finding>& findings) {
  std::set<std::string> suspected;
  for (const RunPairs& p : pairs)
    if (!p.faults.empty()) suspected.insert(p.test + "/" + p.metric);
  const Floors floors(findings, suspected);
  struct Part {
    Suspicion suspicion;
    std::vector<std::string> nodes;
    const PairFault* fault = nullptr;
  };
  struct Mixed {
    const RunPairs* pairs = nullptr;
    const PairFault* fault = nullptr;
    int count = 0;
  };
  std::map<std::string, Part> parts;
  std::map<std::string, Mixed> mixed;
  for (const RunPairs& p : pairs)
    for (const PairFault& f : p.faults) {
      const std::string metric = p.test + "/" + p.metric;
      if (f.level == Level::mixed) {
        Mixed& m = mixed[metric];
        ++m.count;
        if (!m.fault || f.off > m.fault->off) m = {&p, &f, m.count};
        continue;
      }
      Part& slow = parts[fmt::format("{}/{}/{}/{}", metric, name(f.level),
                                     fmt::join(f.culprits, "/"), f.rail)];
      add(slow.suspicion, p, f, floors);
      slow.fault = &f;
      slow.nodes = p.matrix.nodes;
    }
  const Likeness likeness(files);
  std::map<std::string, std::vector<std::string>> low;  // nodes by test and metric
  for (const auto& [what, slow] : parts)
    if (is_of_a_node(slow.fault->level))
      low[slow.suspicion.test + slow.suspicion.metric].push_back(slow.fault->culprits[0]);
  std::vector<Finding> out;
  for (auto& [what, slow] : parts) {
    if (is_of_a_node(slow.fault->level))
      slow.suspicion.apart =
          likeness.set_apart(slow.nodes, low[slow.suspicion.test + slow.suspicion.metric]);
    out.push_back(finding_of(rule, files, slow.suspicion));
    out.back().remedy = remedy(*slow.fault);
  }
  for (const auto& [what, m] : mixed) {
    out.push_back(not_homogeneous(*m.pairs, *m.fault, m.count));
    if (const std::string why = likeness.set_apart(m.pairs->matrix.nodes, m.fault->culprits);
        !why.empty())
      out.back().reason += "; " + why;
  }
  return out;
}

}  // namespace acceptance
