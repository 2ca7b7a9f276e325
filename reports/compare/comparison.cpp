#include "reports/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "reports/compare/changes.h"
#include "reports/verdict/equal_places.h"
#include "reports/verdict/facts.h"
#include "reports/verdict/suspicion.h"
#include "suites/core/distributions.h"

namespace acceptance {
namespace {

/// What became of each assignment of a run, second looks left out.
struct Outcomes {
  std::unordered_map<std::string, const Test*> tests;
  std::set<std::string> nodes;
  std::map<std::string, std::pair<const Assignment*, const Record*>> all;  // record null = none

  explicit Outcomes(const RunFiles& files) {
    for (const Test& t : files.tests) tests[t.name] = &t;
    for (const Node& n : files.nodes) nodes.insert(n.name);
    for (const Assignment& a : files.plan) {
      const auto test = tests.find(a.test);
      // One attempt stands for all: what one could do, and another not, is in the figures.
      if (test == tests.end() || a.attempt > planned_attempts(files, *test->second)) continue;
      all.try_emplace(plain(a), &a, nullptr);
    }
    for (const Record& r : files.records) {
      const auto it = all.find(plain(r.assignment));
      if (it == all.end()) continue;
      const Record*& kept = it->second.second;
      if (!kept || kept->outcome == Outcome::ok || kept->outcome == Outcome::interrupted) kept = &r;
    }
  }

  static std::string plain(Assignment a) {
    a.attempt = 1;
    a.version = 1;
    return a.id();
  }
};

Json change_json(const Change& c) {
  return {{"where", c.where}, {"before", c.before}, {"after", c.after},    {"change", c.change},
          {"low", c.low},     {"high", c.high},     {"move", name(c.move)}};
}

Json group_json(const ChangedGroup& g) {
  std::map<std::string, int> counts;
  Json moved = Json::array();
  for (const Change& c : g.places) {
    ++counts[std::string(name(c.move))];
    if (c.move == Move::regressed || c.move == Move::improved) moved.push_back(change_json(c));
  }
  return {{"test", g.test},
          {"metric", g.metric},
          {"point", g.point},
          {"unit", symbol(g.unit)},
          {"better", g.better == Better::higher ? "higher" : "lower"},
          {"least", g.least},
          {"repetitions", {{"before", g.repetitions_before}, {"after", g.repetitions_after}}},
          {"common", change_json(g.common)},
          {"places", counts},
          {"moved", moved}};
}

/// What was measured before and isn't any more, or the other way round.
Json lost_and_found(const Outcomes& before, const Outcomes& after) {
  Json list = Json::array();
  for (const auto& [id, b] : before.all) {
    const auto a = after.all.find(id);
    if (a == after.all.end() || !b.second) continue;
    const Record* now = a->second.second;
    const Outcome then = b.second->outcome;
    const Outcome is = now ? now->outcome : Outcome::interrupted;
    if ((then == Outcome::ok) == (is == Outcome::ok)) continue;
    const bool failed = is == Outcome::failed || is == Outcome::timed_out || is == Outcome::error;
    list.push_back({{"test", b.first->test},
                    {"point", b.first->point},
                    {"where", b.first->places},
                    {"before", name(then)},
                    {"after", now ? name(is) : "missing"},
                    {"reason", now ? now->reason : "the run was stopped before it was done"},
                    {"move", is == Outcome::ok ? name(Move::improved)
                             : failed          ? name(Move::regressed)
                                               : name(Move::cant_tell)}});
  }
  return list;
}

std::string why_missing(const Assignment& a, const Outcomes& from, const Outcomes& in,
                        const char* when) {
  const auto test = in.tests.find(a.test);
  if (test == in.tests.end()) return fmt::format("the test was not chosen {}", when);
  if (test->second->version != from.tests.at(a.test)->version)
    return "the two runs have different versions of the test";
  for (const std::string& p : a.places)
    if (!in.nodes.contains(p)) return fmt::format("nodes took no part {}", when);
  return fmt::format("these points or places were not measured {}", when);
}

void add_missing(std::map<std::pair<std::string, std::string>, std::pair<int, std::string>>& why,
                 const Outcomes& from, const Outcomes& in, const char* when) {
  for (const auto& [id, entry] : from.all) {
    const Assignment& a = *entry.first;
    const auto other = in.all.find(id);
    if (other != in.all.end() && other->second.first->version == a.version) continue;
    auto& [count, example] = why[{a.test, why_missing(a, from, in, when)}];
    if (++count == 1) example = a.id();
  }
}

Json not_compared(const Outcomes& before, const Outcomes& after) {
  std::map<std::pair<std::string, std::string>, std::pair<int, std::string>> why;
  add_missing(why, before, after, "after");
  add_missing(why, after, before, "before");
  Json list = Json::array();
  for (const auto& [what, count] : why)
    list.push_back({{"test", what.first},
                    {"why", what.second},
                    {"count", count.first},
                    {"example", count.second}});
  return list;
}

/// Nodes of which something got worse.
std::set<std::string> regressed_nodes(const std::vector<ChangedGroup>& groups, const Json& lost) {
  std::set<std::string> nodes;
  for (const ChangedGroup& g : groups)
    for (const Change& c : g.places)
      if (c.move == Move::regressed && c.where.size() == 1) nodes.insert(c.where[0]);
  for (const Json& l : lost)
    if (l.at("move") == name(Move::regressed) && l.at("where").size() == 1)
      nodes.insert(l.at("where")[0].get<std::string>());
  return nodes;
}

Json inventory_changes(const RunFiles& before, const RunFiles& after,
                       const std::set<std::string>& regressed) {
  std::map<std::string, const Node*> then;
  for (const Node& n : before.nodes) then[n.name] = &n;
  std::map<std::array<std::string, 3>, std::vector<std::string>> changed;
  std::size_t both = 0;
  for (const Node& n : after.nodes) {
    const auto old = then.find(n.name);
    if (old == then.end()) continue;
    ++both;
    std::map<std::string, std::array<std::string, 2>> facts;
    for (const auto& [fact, value] : facts_of(*old->second)) facts[fact][0] = value;
    for (const auto& [fact, value] : facts_of(n)) facts[fact][1] = value;
    for (const auto& [fact, values] : facts)
      if (values[0] != values[1]) changed[{fact, values[0], values[1]}].push_back(n.name);
  }
  Json list = Json::array();
  for (const auto& [what, nodes] : changed) {
    const auto hit = std::count_if(nodes.begin(), nodes.end(),
                                   [&](const std::string& n) { return regressed.contains(n); });
    Json odds = nullptr;
    if (hit > 0 && nodes.size() < both)
      odds = hypergeometric_at_least(static_cast<std::uint64_t>(hit), both, nodes.size(),
                                     regressed.size());
    list.push_back({{"fact", what[0]},
                    {"before", what[1]},
                    {"after", what[2]},
                    {"nodes", nodes},
                    {"regressed", hit},
                    {"odds", odds}});
  }
  return list;
}

Json about(const RunFiles& files) {
  const auto request = files.run.find("request");
  return {{"run", files.run.at("tag")},
          {"cluster", files.run.at("cluster")},
          {"build", files.run.at("build")},
          {"started", files.run.at("sessions").at(0).at("started")},
          {"nodes", files.nodes.size()},
          {"profile", request == files.run.end() ? "" : request->value("profile", "")},
          {"repetitions", request == files.run.end() ? 1 : request->value("repeat", 1)}};
}

/// What a reader must know before he believes the figures beside each other.
Json differences(const RunFiles& before, const RunFiles& after) {
  Json notes = Json::array();
  const auto differ = [&](const char* what, const char* key) {
    const Json b = before.run.value(key, Json()), a = after.run.value(key, Json());
    if (b != a)
      notes.push_back(fmt::format("{} differs: {} before, {} after", what, dump(b), dump(a)));
  };
  differ("the build of the program", "build");
  differ("the launcher", "launcher");
  if (before.run.value("promise", Json::object()) != after.run.value("promise", Json::object()))
    notes.push_back("cluster.yaml or the catalogue differs: what was promised is not the same");
  const Json b = about(before), a = about(after);
  if (b.at("profile") != a.at("profile"))
    notes.push_back(fmt::format("the profile differs: {} before, {} after",
                                b.at("profile").get<std::string>(),
                                a.at("profile").get<std::string>()));
  return notes;
}

/// It can't be told, and might be so much worse that it would matter at a single place.
bool may_matter(const ChangedGroup& g) {
  const double worst = g.better == Better::higher ? -g.common.low : g.common.high;
  return g.common.move == Move::cant_tell && worst >= g.least;
}

std::string verdict_of(const std::vector<ChangedGroup>& groups, const Json& lost,
                       const Json& missing) {
  bool open = groups.empty(), worse = false;
  for (const ChangedGroup& g : groups) {
    open = open || may_matter(g);
    worse = worse || g.common.move == Move::regressed ||
            std::any_of(g.places.begin(), g.places.end(),
                        [](const Change& c) { return c.move == Move::regressed; });
  }
  for (const Json& l : lost) {
    worse = worse || l.at("move") == name(Move::regressed);
    open = open || l.at("move") == name(Move::cant_tell);
  }
  for (const Json& m : missing) {
    const auto why = m.at("why").get<std::string>();
    open = open || !why.ends_with("before");  // what is new takes nothing away
  }
  return worse ? "REGRESSED" : open ? "INCOMPLETE" : "NO REGRESSION";
}

}  // namespace

Json make_comparison(const RunFiles& before, const RunFiles& after) {
  if (before.run.at("simulated") != after.run.at("simulated"))
    throw std::invalid_argument("one of the runs is simulated, the other is not");
  const Outcomes first(before), second(after);
  const std::vector<ChangedGroup> groups = changes(before, after);
  if (groups.empty())
    throw std::invalid_argument(
        "nothing can be compared: no test, point and place has a figure in both runs");
  const Json lost = lost_and_found(first, second);
  const Json missing = not_compared(first, second);
  Json figures = Json::array();
  for (const ChangedGroup& g : groups) figures.push_back(group_json(g));
  return {{"format", "accept.comparison/1"},
          {"verdict", verdict_of(groups, lost, missing)},
          {"simulated", after.run.at("simulated")},
          {"before", about(before)},
          {"after", about(after)},
          {"differences", differences(before, after)},
          {"figures", figures},
          {"outcomes", lost},
          {"not_compared", missing},
          {"inventory", inventory_changes(before, after, regressed_nodes(groups, lost))},
          {"definitions", after.run.at("tests")}};
}

int comparison_status(const Json& comparison) {
  const auto verdict = comparison.at("verdict").get<std::string>();
  return verdict == "REGRESSED" ? 1 : verdict == "INCOMPLETE" ? 2 : 0;
}

}  // namespace acceptance
