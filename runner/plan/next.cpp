#include "runner/plan/next.h"

#include <map>
#include <set>
#include <unordered_map>

#include "runner/plan/plan.h"

namespace acceptance {
namespace {

std::vector<Assignment> missing(const std::vector<Assignment>& plan,
                                const std::vector<Record>& records) {
  std::unordered_map<std::string, int> interruptions;
  constexpr int final = most_interruptions;
  for (const Record& r : records)
    interruptions[r.assignment.id()] += r.outcome != Outcome::interrupted ? final
                                        : r.culprit.empty()               ? 1
                                                                          : 0;
  std::vector<Assignment> left;
  for (const Assignment& a : plan)
    if (const auto it = interruptions.find(a.id()); it == interruptions.end() || it->second < final)
      left.push_back(a);
  return left;
}

}  // namespace

std::vector<Launch> next(const std::vector<Assignment>& plan, const std::vector<Record>& records,
                         const std::vector<Node>& nodes) {
  std::map<std::string, std::string> machine;
  for (const Node& n : nodes) machine[n.name] = n.boot_id.empty() ? n.name : n.boot_id;

  std::vector<std::string> order;  // nodes with node-scope work left, in the plan's order
  std::map<std::string, Launch> by_node;
  Launch world{LaunchKind::world, world_places(nodes), {}};
  for (Assignment& a : missing(plan, records)) {
    if (a.places.size() > 1) {
      world.work.push_back(std::move(a));
      continue;
    }
    const std::string node = a.places.at(0);
    Launch& launch = by_node[node];
    if (launch.work.empty()) {
      launch.kind = LaunchKind::node;
      launch.places = {node};
      order.push_back(node);
    }
    launch.work.push_back(std::move(a));
  }

  std::vector<Launch> now;
  std::set<std::string> taken;
  for (const std::string& node : order)
    if (taken.insert(machine[node]).second) now.push_back(std::move(by_node[node]));
  if (now.empty() && !world.work.empty()) now.push_back(std::move(world));
  return now;
}

}  // namespace acceptance
