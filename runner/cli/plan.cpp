#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "runner/cli/commands.h"
#include "runner/cli/options.h"
#include "runner/plan/next.h"
#include "suites/inventory/probe.h"

namespace acceptance {
namespace {

std::string point_words(const Point& point, const Test& test) {
  std::vector<std::string> words;
  for (const Parameter& p : test.params)
    if (const auto it = point.find(p.name); it != point.end())
      words.push_back(fmt::format("{} {}", p.name, to_text(it->second, p.unit)));
  return fmt::format("{}", fmt::join(words, ", "));
}

void print_choice(const NodeChoice& c) {
  fmt::print("launcher {}", name(c.engine));
  if (c.engine == Engine::slurm)
    fmt::print(", {}", c.slurm.job.empty() ? "in an allocation of its own"
                                           : "in allocation " + c.slurm.job);
  fmt::print(", {} node(s)\n", c.names.size());
  if (c.engine == Engine::ssh || c.engine == Engine::slurm)
    fmt::print(
        "control network: nodes connect back to {} ({}, {}); MPI's own traffic stays on it\n",
        c.control.address, c.control.interface, c.control.subnet);
  for (const auto& [node, why] : c.left_alone) fmt::print("not run: {}: {}\n", node, why);
  fmt::print("\n");
}

int print_plan(SessionOptions options) {
  const std::vector<const Test*> chosen = select(tests(), options.request);
  const Promise promise = promise_of(options);
  const NodeChoice choice = choose_nodes(options.where, promise.promised());
  print_choice(choice);
  std::vector<Node> nodes;
  for (const std::string& name : choice.names) {
    nodes.push_back(nodes.empty() ? probe() : nodes.front());
    nodes.back().name = name;
  }
  const std::vector<Assignment> plan =
      make_plan(chosen, nodes, options.request, promise.promised());
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Assignment& a : plan)
    if (a.places.size() == 2) pairs.insert(std::minmax(a.places[0], a.places[1]));
  double seconds = 0;
  for (const Assignment& a : plan) {
    fmt::print("{:<30} {:<44} {}\n", a.test, point_words(a.point, *find_test(a.test)),
               fmt::join(a.places, " + "));
    seconds += a.sampling.seconds * static_cast<double>(find_test(a.test)->metrics.size());
  }
  fmt::print("\n{} assignments on {} node(s), sampling for at most about {}\n", plan.size(),
             nodes.size(), format(seconds, Unit::seconds));
  if (nodes.size() > 1)
    fmt::print("{} of {} pairs of nodes\n", pairs.size(), nodes.size() * (nodes.size() - 1) / 2);
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand("plan", "show what run would measure, and measure nothing");
  auto options = std::make_shared<SessionOptions>();
  add_selection(*c, *options);
  c->callback([options, &action] { action = [options] { return print_plan(*options); }; });
}

}  // namespace acceptance
