#include "runner/plan/next.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "runner/plan/plan.h"

namespace acceptance {
namespace {

// Grave trouble, or three deaths of processes, make a suspect; grave trouble twice, or twelve
// deaths, set a node apart.
constexpr int grave = 6;
constexpr int suspect_at = 3;
constexpr int set_apart_at = 12;
int gravity(Trouble t) {
  switch (t) {
    case Trouble::died:
    case Trouble::out_of_memory: return 1;
    case Trouble::unreachable:
    case Trouble::ssh_refused:
    case Trouble::dead_at_start:
    case Trouble::late:
    case Trouble::silent:
    case Trouble::hung: return grave;
    case Trouble::no_command:
    case Trouble::other_build:
    case Trouble::unkillable: return set_apart_at;
    default: return 0;
  }
}

struct Standing {
  int gravity = 0;
  std::string last;  // what it was blamed for last
};

std::map<std::string, Standing> standings(const Progressed& run) {
  std::map<std::string, Standing> all;
  for (std::size_t i = run.since; i < run.records.size(); ++i) {
    const Record& r = run.records[i];
    if (r.outcome == Outcome::interrupted) continue;
    for (const std::string& culprit : r.culprits) {
      Standing& s = all[node_of_place(culprit)];
      s.gravity += gravity(r.trouble);
      if (gravity(r.trouble) > 0) s.last = r.reason;
    }
  }
  return all;
}

std::vector<Assignment> missing(const Progressed& run) {
  std::unordered_map<std::string, int> interruptions;
  constexpr int final = most_interruptions;
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const Record& r = run.records[i];
    if (r.outcome != Outcome::interrupted)
      interruptions[r.assignment.id()] += final;
    else if (i >= run.since && r.culprits.empty())
      ++interruptions[r.assignment.id()];
  }
  std::vector<Assignment> left;
  for (const Assignment& a : run.plan)
    if (const auto it = interruptions.find(a.id()); it == interruptions.end() || it->second < final)
      left.push_back(a);
  return left;
}

/// Which nodes may be used together, the most trusted first.
std::vector<std::set<std::string>> circles(const Progressed& run,
                                           const std::map<std::string, Standing>& standing) {
  std::set<std::string> good, all;
  std::vector<std::string> suspects;
  for (const Node& n : run.nodes) {
    const auto it = standing.find(n.name);
    const int g = it == standing.end() ? 0 : it->second.gravity;
    if (g >= set_apart_at) continue;
    all.insert(n.name);
    if (g < suspect_at)
      good.insert(n.name);
    else
      suspects.push_back(n.name);
  }
  std::vector<std::set<std::string>> out{good};
  for (const std::string& s : suspects) {
    out.push_back(good);
    out.back().insert(s);
  }
  out.push_back(all);
  return out;
}

/// Failed starts of the same places since one of them got anything done, and which nodes have not
/// been asked since the last one that nobody could be blamed for.
struct Starts {
  int failed = 0;
  std::set<std::string> unasked;
};
std::map<std::vector<std::string>, Starts> failed_starts(const Progressed& run) {
  std::map<std::vector<std::string>, Starts> all;
  for (std::size_t i = run.since; i < run.records.size(); ++i) {
    const Record& r = run.records[i];
    const auto& places = r.assignment.places;
    if (r.assignment.test == launch_test) {
      Starts& s = all[places];
      ++s.failed;
      if (r.culprits.empty()) s.unasked = {places.begin(), places.end()};
    } else if (r.assignment.test == probe_test) {
      for (auto& [launched, s] : all) s.unasked.erase(places.at(0));
    } else if (r.outcome == Outcome::ok && !all.empty()) {
      std::erase_if(all, [&](const auto& entry) {
        const std::vector<std::string>& launched = entry.first;
        return (launched.size() > 1) == (places.size() > 1) &&
               std::all_of(places.begin(), places.end(), [&](const std::string& p) {
                 return std::find(launched.begin(), launched.end(), p) != launched.end();
               });
      });
    }
  }
  return all;
}

Launch ask_again(const std::string& node, const Progressed& run) {
  Assignment a;
  a.test = probe_test;
  a.places = {node};
  a.attempt = 2;
  for (const Record& r : run.records)
    if (r.assignment.test == probe_test && r.assignment.places == a.places)
      a.attempt = std::max(a.attempt, r.assignment.attempt + 1);
  if (!run.plan.empty()) a.run = run.plan.front().run;
  return {LaunchKind::probe, {node}, {a}, a.attempt};
}

std::map<std::string, std::string> machines(const std::vector<Node>& nodes) {
  std::map<std::string, std::string> machine;
  for (const Node& n : nodes) machine[n.name] = n.boot_id.empty() ? n.name : n.boot_id;
  return machine;
}

std::vector<Launch> node_launches(const std::vector<Assignment>& left,
                                  const std::set<std::string>& usable, const Progressed& run,
                                  std::map<std::vector<std::string>, Starts>& starts) {
  const std::map<std::string, std::string> machine = machines(run.nodes);
  std::vector<std::string> order;  // nodes with node-scope work left, in the plan's order
  std::map<std::string, Launch> by_node;
  for (const Assignment& a : left) {
    if (a.places.size() > 1 || !usable.contains(a.places.at(0))) continue;
    Launch& launch = by_node[a.places[0]];
    if (launch.work.empty()) {
      launch.kind = LaunchKind::node;
      launch.places = a.places;
      order.push_back(a.places[0]);
    }
    launch.work.push_back(a);
  }
  std::vector<Launch> now;
  std::set<std::string> taken;
  for (const std::string& node : order) {
    Launch& launch = by_node[node];
    launch.attempt = starts[launch.places].failed + 1;
    if (launch.attempt > most_failed_starts) continue;
    if (taken.insert(machine.at(node)).second) now.push_back(std::move(launch));
  }
  return now;
}

}  // namespace

std::vector<Launch> next(const Progressed& run) {
  const auto standing = standings(run);
  const std::vector<Assignment> left = missing(run);
  const auto usable = circles(run, standing);
  auto starts = failed_starts(run);
  if (auto now = node_launches(left, usable.back(), run, starts); !now.empty()) return now;

  for (const std::set<std::string>& circle : usable) {
    std::vector<Node> nodes;
    for (const Node& n : run.nodes)
      if (circle.contains(n.name)) nodes.push_back(n);
    Launch world{LaunchKind::world, world_places(nodes), {}};
    for (const Assignment& a : left)
      if (a.places.size() > 1 && std::all_of(a.places.begin(), a.places.end(),
                                             [&](const auto& p) { return circle.contains(p); }))
        world.work.push_back(a);
    if (world.work.empty()) continue;
    const Starts& failed = starts[world.places];
    if (failed.failed >= most_failed_starts) continue;
    if (nodes.size() > 1 && !failed.unasked.empty()) {
      std::vector<Launch> ask;
      for (const std::string& node : failed.unasked) ask.push_back(ask_again(node, run));
      return ask;
    }
    world.attempt = failed.failed + 1;
    return {world};
  }
  return {};
}

std::vector<Record> left_undone(const Progressed& run) {
  const auto standing = standings(run);
  std::unordered_map<std::string, const Record*> last;
  std::string failed_start;
  std::set<std::string> final;
  for (const Record& r : run.records) {
    last[r.assignment.id()] = &r;
    if (r.outcome != Outcome::interrupted) final.insert(r.assignment.id());
    if (r.assignment.test == launch_test) failed_start = r.reason;
  }
  std::set<std::string> present;
  for (const Node& n : run.nodes) present.insert(n.name);
  std::vector<Record> undone;
  for (const Assignment& a : run.plan) {
    if (final.contains(a.id())) continue;
    Record r;
    r.assignment = a;
    r.outcome = Outcome::interrupted;
    std::vector<std::string> why;
    for (const std::string& place : std::set<std::string>(a.places.begin(), a.places.end()))
      if (!present.contains(place)) {
        r.trouble = Trouble::left_alone;
        r.culprits.push_back(place);
        why.push_back(place + " takes no part");
      } else if (const auto s = standing.find(place);
                 s != standing.end() && s->second.gravity >= set_apart_at) {
        r.trouble = Trouble::set_apart;
        r.culprits.push_back(place);
        why.push_back(fmt::format("{} is set apart: {}", place, s->second.last));
      }
    const auto before = last.find(a.id());
    if (!why.empty())
      r.reason = fmt::format("{}", fmt::join(why, "; "));
    else if (before != last.end())
      continue;  // it was interrupted too often, and says so itself
    else
      r.reason = failed_start.empty() ? "nothing could be started for it"
                                      : "its processes could not be started: " + failed_start;
    undone.push_back(std::move(r));
  }
  return undone;
}

std::vector<Assignment> without_the_lost(const Progressed& run) {
  constexpr int most_repetitions = 3;  // where a body brings down one node after the other
  const auto standing = standings(run);
  std::unordered_map<std::string, const Record*> final;
  for (const Record& r : run.records)
    if (r.outcome != Outcome::interrupted) final[r.assignment.id()] = &r;
  std::set<std::string> known;
  std::map<std::string, int> repetitions;
  const auto kind = [](Assignment a) {
    a.places = {"all"};
    return a.id();
  };
  for (const Assignment& a : run.plan) {
    known.insert(a.id());
    if (a.places.size() > 2) ++repetitions[kind(a)];
  }
  std::vector<Assignment> more;
  for (Assignment a : run.plan) {
    if (a.places.size() < 3 || repetitions[kind(a)] > most_repetitions) continue;
    const auto record = final.find(a.id());
    std::set<std::string> lost;
    if (record != final.end() && gravity(record->second->trouble) == 0) continue;
    if (record != final.end())
      for (const std::string& culprit : record->second->culprits)
        lost.insert(node_of_place(culprit));
    for (const auto& [node, s] : standing)
      if (s.gravity >= set_apart_at) lost.insert(node);
    if (std::erase_if(a.places, [&](const auto& p) { return lost.contains(p); }) == 0) continue;
    if (a.places.size() > 1 && known.insert(a.id()).second) more.push_back(std::move(a));
  }
  return more;
}

}  // namespace acceptance
