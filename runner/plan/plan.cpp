#include "runner/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "runner/plan/rounds.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

std::vector<std::string> names_of(std::span<const Test> all) {
  std::vector<std::string> names;
  for (const Test& t : all) names.push_back(t.name);
  return names;
}

Value fixed_value(const Test& test, const Parameter& p, const std::string& typed) {
  if (p.unit == Unit::text) {
    std::vector<std::string> words;
    for (const Value& v : p.values) words.push_back(v.word());
    if (std::find(words.begin(), words.end(), typed) == words.end())
      throw std::invalid_argument(fmt::format("{}: {} can't be '{}'; it is one of {}", test.name,
                                              p.name, typed, fmt::join(words, ", ")));
    return typed;
  }
  const double value = parse_value(typed, p.unit);
  if (!(value >= 1) || value > 1e15)
    throw std::invalid_argument(fmt::format("{}: {} can't be {}", test.name, p.name, typed));
  return value;
}

Assignment assignment(const Test& test, const Point& point, std::vector<std::string> places,
                      const Request& request) {
  Assignment a;
  a.test = test.name;
  a.version = test.version;
  a.point = point;
  a.places = std::move(places);
  a.sampling = test.sampling;
  a.deadline_seconds = test.deadline_seconds;
  if (request.profile == Profile::standard) {
    a.sampling.seconds *= 5;
    a.deadline_seconds *= 5;
  }
  a.run = request.run;
  if (test.needs == Need::storage) a.target = request.target;
  return a;
}

std::vector<std::string> leaves(const std::vector<std::string>& nodes, const Cluster* promised) {
  std::vector<std::string> all;
  for (const std::string& node : nodes) all.push_back(promised ? leaf_of(*promised, node) : "");
  return all;
}

bool has(const Test& t, Scope s) {
  return std::find(t.scopes.begin(), t.scopes.end(), s) != t.scopes.end();
}

}  // namespace

std::vector<const Test*> select(std::span<const Test> all, const Request& request) {
  std::set<std::string> suites;
  for (const Test& t : all) suites.insert(t.suite());
  for (const std::string& s : request.suites)
    if (!suites.contains(s))
      throw std::invalid_argument(
          fmt::format("unknown suite '{}'{}", s, suggestion(s, {suites.begin(), suites.end()})));
  for (const std::string& pattern : request.tests)
    if (std::none_of(all.begin(), all.end(), [&](const Test& t) { return glob(pattern, t.name); }))
      throw std::invalid_argument(
          fmt::format("no test matches '{}'{}", pattern, suggestion(pattern, names_of(all))));
  const auto wanted = [](const std::vector<std::string>& list, const std::string& name) {
    return list.empty() || std::any_of(list.begin(), list.end(),
                                       [&](const std::string& p) { return glob(p, name); });
  };
  std::vector<const Test*> chosen;
  for (const Test& t : all)
    if (wanted(request.suites, t.suite()) && wanted(request.tests, t.name)) chosen.push_back(&t);
  if (chosen.empty())
    throw std::invalid_argument("no test is both in the suites and among the tests asked for");
  return chosen;
}

std::vector<Point> points(const Test& test, const Request& request) {
  std::vector<Point> all{{}};
  for (const Parameter& p : test.params) {
    std::vector<Value> values = p.of(request.profile);
    if (const auto it = request.fixed.find(p.name); it != request.fixed.end())
      values = {fixed_value(test, p, it->second)};
    std::vector<Point> longer;
    for (const Point& start : all)
      for (const Value& v : values) {
        longer.push_back(start);
        longer.back()[p.name] = v;
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<std::string> world_places(const std::vector<Node>& nodes) {
  std::vector<std::string> places;
  for (const Node& n : nodes) places.push_back(n.name);
  if (places.size() == 1) places.push_back(places[0]);
  return places;
}

std::vector<Assignment> make_plan(std::span<const Test* const> tests,
                                  const std::vector<Node>& nodes, const Request& request,
                                  const Cluster* promised) {
  std::vector<Assignment> plan;
  for (const Node& n : nodes)
    for (const int attempt : {1, 2})
      for (const Test* t : tests)
        if (has(*t, Scope::node) && (attempt == 1 || (t->twice && !request.once)))
          for (const Point& p : points(*t, request)) {
            plan.push_back(assignment(*t, p, {n.name}, request));
            plan.back().attempt = attempt;
          }
  const std::vector<std::string> world = world_places(nodes);
  for (const Round& round : planned_rounds(leaves(world, promised)))
    for (const Test* t : tests)
      if (has(*t, Scope::pair))
        for (const Point& p : points(*t, request))
          for (const auto& [a, b] : round)
            plan.push_back(assignment(*t, p, {world[a], world[b]}, request));
  for (const Test* t : tests)
    if (has(*t, Scope::cluster) || has(*t, Scope::group))  // without known groups all nodes are one
      for (const Point& p : points(*t, request)) plan.push_back(assignment(*t, p, world, request));
  return plan;
}

std::vector<Assignment> next_repetition(std::span<const Test* const> tests,
                                        const std::vector<Assignment>& plan,
                                        const Request& request) {
  std::map<std::string, int> each;  // attempts of one repetition
  for (const Test* t : tests) each[t->name] = t->twice ? 2 : 1;
  int done = 0;
  for (const Assignment& a : plan) done = std::max(done, (a.attempt - 1) / each.at(a.test) + 1);
  std::vector<Assignment> more;
  for (Assignment a : plan)
    if (done < request.repeat && a.attempt <= each.at(a.test)) {
      a.attempt += done * each.at(a.test);
      more.push_back(std::move(a));
    }
  return more;
}

}  // namespace acceptance
