#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/verdict/equal_places.h"
#include "reports/verdict/facts.h"
#include "reports/verdict/suspicion.h"
#include "suites/core/node_set.h"
#include "suites/core/statistics.h"

namespace acceptance {
namespace {

using Kind = FleetGroup::Kind;
constexpr const char* rule = "machine.fleet";

double median_figure(const FleetGroup& g) {
  std::vector<double> figures;
  for (const FleetPlace& p : g.places) figures.push_back(p.figure);
  return median(figures);
}

/// Of a place in its second look, as a ratio of what is usual; below 0 = better.
double off_again(const FleetGroup& g, const FleetPlace& p) {
  const double share = p.again / median_figure(g);
  const double signed_share = g.better == Better::higher ? share : -share;
  return (g.spread.centre - signed_share) / std::abs(g.spread.centre);
}

std::vector<std::string> outlier_names(const FleetGroup& g) {
  std::vector<std::string> names;
  for (const Outlier& o : g.spread.outliers) names.push_back(g.places[o.index].name);
  return names;
}

std::vector<std::string> names_of(const FleetGroup& g) {
  std::vector<std::string> names;
  for (const FleetPlace& p : g.places) names.push_back(p.name);
  return names;
}

void add(Suspicion& s, const FleetGroup& g, const Outlier& o, double comparisons,
         const Floors& floors) {
  const FleetPlace& p = g.places[o.index];
  s.test = g.test;
  s.metric = g.metric;
  s.unit = g.unit;
  s.better = g.better;
  s.who = p.name;
  s.equals = fmt::format("what is usual among {} {}", g.places.size(), g.what);
  s.where = s.culprits = {p.name};
  ++s.count;
  s.chance = std::min({s.chance, 1.0, o.chance * comparisons});
  floors.tell(s, g.point, {p.name});
  const double again = p.again > 0 ? off_again(g, p) : 0;
  s.looked = s.looked || p.again > 0;
  s.agreed = s.agreed && p.again > 0 && agrees(o.off, again, g.least);
  if (o.off <= s.off) return;
  s.off = o.off;
  s.again = std::max(0.0, again);
  s.usual = median_figure(g) * std::abs(g.spread.centre);
  s.points = key(g.point);
}

/// The three lowest places, with how far they are off.
std::vector<std::string> lowest(const FleetGroup& g) {
  const double usual = median_figure(g);
  const bool higher = g.better == Better::higher;
  std::vector<std::pair<double, std::string>> order;
  for (const FleetPlace& p : g.places)
    order.emplace_back(higher ? p.figure / usual - 1 : usual / p.figure - 1, p.name);
  std::sort(order.begin(), order.end());
  std::vector<std::string> out;
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    out.push_back(fmt::format("{} ({:+.1f} %)", order[i].second, 100 * order[i].first));
  return out;
}

/// What is said where no single place can be: once per test, metric and kind of trouble.
Finding not_homogeneous(const std::vector<const FleetGroup*>& groups, const Likeness& likeness) {
  const FleetGroup& worst = **std::max_element(
      groups.begin(), groups.end(),
      [](const auto* a, const auto* b) { return a->spread.between < b->spread.between; });
  Finding f;
  f.test = rule;
  f.metric = worst.test + " " + worst.metric;
  f.required = false;
  f.verdict = Verdict::remark;
  for (const FleetPlace& p : worst.places) f.where.push_back(p.name);
  const std::string at =
      fmt::format("({}{})", key(worst.point),
                  groups.size() > 1 ? fmt::format(", the worst of {} points", groups.size()) : "");
  switch (worst.kind) {
    case Kind::in_groups:
      f.reason = fmt::format(
          "not homogeneous: {} of {} {} are lower than the others, too many to be single faults {}",
          worst.spread.outliers.size(), worst.places.size(), worst.what, at);
      f.where = outlier_names(worst);
      break;
    case Kind::heavy:
      f.reason = fmt::format(
          "not homogeneous: places far from the others are too common among {} {} for one of them "
          "to mean anything {}; the lowest: {}",
          worst.places.size(), worst.what, at, fold_node_set(outlier_names(worst)));
      break;
    default:
      f.reason = fmt::format(
          "not homogeneous: {} {} spread by {} (standard deviation, noise taken "
          "out) {}; equal ones spread by less than {}; the lowest: {}",
          worst.places.size(), worst.what, format(worst.spread.between, Unit::ratio), at,
          format(homogeneous_spread, Unit::ratio), fmt::join(lowest(worst), ", "));
  }
  f.remedy = "compare their firmware, settings and cooling (accept probe)";
  if (const std::string why = likeness.set_apart(names_of(worst), outlier_names(worst));
      !why.empty())
    f.reason += "; " + why;
  return f;
}

/// The low ones of one metric.
struct Suspects {
  std::vector<std::string> equals;
  std::map<std::string, Suspicion> by_name;
};

}  // namespace

std::vector<Finding> judge_fleet(const RunFiles& files, const std::vector<FleetGroup>& groups,
                                 const std::vector<Finding>& findings) {
  std::set<std::string> suspected;
  for (const FleetGroup& g : groups)
    if (!g.spread.outliers.empty()) suspected.insert(g.test + "/" + g.metric);
  const Floors floors(findings, suspected);
  const Likeness likeness(files);
  double comparisons = 0;
  for (const FleetGroup& g : groups) comparisons += static_cast<double>(g.places.size());
  std::map<std::string, Suspects> suspects;
  std::map<std::string, std::vector<const FleetGroup*>> mixed;
  for (const FleetGroup& g : groups) {
    const std::string what = fmt::format("{}/{}/{}", g.test, g.metric, g.what);
    if (g.kind != Kind::alike) mixed[fmt::format("{}/{}", what, name(g.kind))].push_back(&g);
    if (g.kind == Kind::alike || g.kind == Kind::wide)
      for (const Outlier& o : g.spread.outliers) {
        Suspects& s = suspects[what];
        s.equals = names_of(g);
        add(s.by_name[g.places[o.index].name], g, o, comparisons, floors);
      }
  }
  std::vector<Finding> out;
  for (auto& [what, of] : suspects) {
    std::vector<std::string> low;
    for (const auto& [name, s] : of.by_name) low.push_back(name);
    const std::string why = likeness.set_apart(of.equals, low);
    for (auto& [name, s] : of.by_name) {
      s.apart = why;
      out.push_back(finding_of(rule, files, s));
    }
  }
  for (const auto& [what, list] : mixed) out.push_back(not_homogeneous(list, likeness));
  return out;
}

Json fleet_table(const std::vector<FleetGroup>& groups) {
  Json table = Json::array();
  for (const FleetGroup& g : groups)
    table.push_back({{"test", g.test},
                     {"metric", g.metric},
                     {"point", g.point},
                     {"unit", symbol(g.unit)},
                     {"equals", g.what},
                     {"places", g.places.size()},
                     {"usual", median_figure(g) * std::abs(g.spread.centre)},
                     {"between", g.spread.between},
                     {"noise", g.spread.noise},
                     {"kind", name(g.kind)},
                     {"low", outlier_names(g)}});
  return table;
}

}  // namespace acceptance
