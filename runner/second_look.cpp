#include "runner/second_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "reports/verdict/collectives.h"
#include "reports/verdict/continued.h"
#include "reports/verdict/equal_places.h"
#include "reports/verdict/judge.h"

namespace acceptance {
namespace {

using Level = PairFault::Level;
using Pair = std::pair<std::size_t, std::size_t>;
constexpr std::size_t most_pairs = 3;
constexpr double smaller_deadline_seconds = 120;  // many of them may hang, one after the other

/// Pairs that tell whether a fault is one: new ones before those that were measured.
std::vector<Pair> telling_pairs(const RunPairs& p, const PairFault& fault,
                                const std::set<std::string>& suspects) {
  const PairMatrix& m = p.matrix;
  std::set<Pair> measured;
  for (const PairCell& c : m.cells) measured.insert(std::minmax(c.from, c.to));
  const auto at = [&](const std::vector<std::string>& names, std::size_t n,
                      const std::string& name) { return n < names.size() && names[n] == name; };
  const auto is = [&](std::size_t a, std::size_t b) {
    const auto& who = fault.culprits;
    switch (fault.level) {
      case Level::link: return std::minmax(m.nodes[a], m.nodes[b]) == std::minmax(who[0], who[1]);
      case Level::leaf: return at(m.leaves, a, who[0]) != at(m.leaves, b, who[0]);
      case Level::leaf_pair:
        return (at(m.leaves, a, who[0]) && at(m.leaves, b, who[1])) ||
               (at(m.leaves, a, who[1]) && at(m.leaves, b, who[0]));
      case Level::rail: return measured.contains({a, b});
      case Level::mixed: return false;
      default:
        // A partner that is suspected itself would tell nothing.
        return (m.nodes[a] == who[0] && !suspects.contains(m.nodes[b])) ||
               (m.nodes[b] == who[0] && !suspects.contains(m.nodes[a]));
    }
  };
  std::vector<Pair> fresh, known;
  for (std::size_t a = 0; a < m.nodes.size() && fresh.size() < most_pairs; ++a)
    for (std::size_t b = a + 1; b < m.nodes.size() && fresh.size() < most_pairs; ++b)
      if (is(a, b)) (measured.contains({a, b}) ? known : fresh).push_back({a, b});
  for (const Pair& pair : known)
    if (fresh.size() < most_pairs) fresh.push_back(pair);
  return fresh;
}

class SecondLooks {
 public:
  explicit SecondLooks(const RunFiles& files) {
    for (const Test& t : files.tests) {
      tests_[t.name] = &t;
      planned_[t.name] = planned_attempts(files, t);
    }
    for (const Assignment& a : files.plan) {
      const auto test = tests_.find(a.test);
      if (test == tests_.end()) continue;
      if (a.attempt > planned_attempts(files, *test->second)) looked_.insert(subject(a));
      examples_.try_emplace(fmt::format("{}/{}/{}", a.test, key(a.point), a.places.size()), &a);
    }
  }

  void add(const std::string& test, const Point& point, std::vector<std::string> places) {
    const auto example = examples_.find(fmt::format("{}/{}/{}", test, key(point), places.size()));
    if (example == examples_.end()) return;
    Assignment a = *example->second;
    a.places = std::move(places);
    a.attempt = planned_.at(test) + 1;
    if (looked_.insert(subject(a)).second) list.push_back(std::move(a));
  }

  std::vector<Assignment> list;

 private:
  static std::string subject(Assignment a) {
    a.attempt = 1;
    return a.id();
  }

  std::unordered_map<std::string, const Test*> tests_;
  std::unordered_map<std::string, int> planned_;
  std::unordered_map<std::string, const Assignment*> examples_;
  std::set<std::string> looked_;
};

}  // namespace

std::vector<Assignment> second_looks(const RunFiles& files) {
  SecondLooks looks(files);
  std::set<std::string> suspects;
  for (const FleetGroup& g : fleet_of(files)) {
    if (g.kind != FleetGroup::Kind::alike && g.kind != FleetGroup::Kind::wide) continue;
    for (const Outlier& o : g.spread.outliers) {
      suspects.insert(g.places[o.index].name);
      looks.add(g.test, g.point, {g.places[o.index].name});
    }
  }
  const std::vector<RunPairs> pairs = pairs_of(files);
  for (const RunPairs& p : pairs)
    for (const PairFault& f : p.faults)
      if (f.level == Level::node || f.level == Level::port || f.level == Level::direction)
        suspects.insert(f.culprits[0]);
  for (const RunPairs& p : pairs)
    for (const PairFault& f : p.faults)
      for (const auto& [a, b] : telling_pairs(p, f, suspects))
        looks.add(p.test, p.point, {p.matrix.nodes[a], p.matrix.nodes[b]});
  return std::move(looks.list);
}

std::vector<Assignment> smaller_collectives(const RunFiles& files) {
  std::vector<Assignment> list;
  std::set<std::string> planned;
  for (const Assignment& a : files.plan) planned.insert(a.id());
  for (const RunCollective& c : collectives_of(files, judge(files)))
    for (const Members& members : c.search.ask) {
      if (c.unanswered.contains(members)) continue;
      std::set<std::string> nodes;
      for (const std::size_t m : members) nodes.insert(c.nodes[m]);
      Assignment a = c.whole;
      std::erase_if(a.places, [&](const std::string& p) { return !nodes.contains(p); });
      a.attempt = c.planned_attempts + 1;
      a.deadline_seconds = std::min(a.deadline_seconds, smaller_deadline_seconds);
      while (planned.contains(a.id())) ++a.attempt;
      list.push_back(std::move(a));
    }
  return list;
}

std::vector<Assignment> continuations(const RunFiles& files) {
  return to_continue(files, judge(files));
}

}  // namespace acceptance
