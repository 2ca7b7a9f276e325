#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "reports/verdict/preflight.h"
#include "reports/verdict/rules.h"
#include "runner/plan/trouble.h"
#include "runner/session_run.h"
#include "suites/core/text.h"

// What a run has to do with its nodes besides measuring: asks what they are made of, and leaves
// nothing on them.
namespace acceptance {
namespace {

constexpr std::size_t sweeps_at_once = 32;
constexpr double sweep_seconds = 90;  // longer than a sweep waits for a process to die

}  // namespace

void Session::know(Node node) {
  const auto known = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const Node& n) { return n.name == node.name; });
  if (known != nodes_.end())
    *known = std::move(node);
  else
    nodes_.push_back(std::move(node));
}

void Session::find_nodes() {
  const std::size_t before = nodes_.size();
  for (const auto& [node, why] : choice_.left_alone)
    could_not_ask(node, Outcome::skipped, Trouble::left_alone, why);
  if (delivery_) bring_program(choice_.names);
  if (!options_.resume.empty()) sweep(choice_.names);  // what a killed head may have left
  std::vector<std::string> ask = unanswered();
  if (choice_.engine == Engine::local && !ask.empty()) ask.resize(1);
  std::erase_if(ask, [&](const std::string& n) { return unreached_.contains(n); });
  ask_nodes(std::move(ask));
  if (head_.stopped()) return;
  for (std::size_t i = 1; choice_.engine == Engine::local && i < choice_.names.size(); ++i)
    if (!nodes_.empty()) {
      Node same = nodes_.front();
      same.name = choice_.names[i];
      know(std::move(same));
    }
  for (const std::string& node : unanswered())  // whatever happened: nobody is forgotten
    if (const Record* last = last_record(probe_test, node); !last || last->outcome == Outcome::ok)
      could_not_ask(node, Outcome::error, Trouble::none, "it was never asked, or never answered");
  use_present_nodes();
  if (present_.empty())
    throw std::runtime_error(
        fmt::format("no node could be probed; {}",
                    records_.empty() ? "see " + folder_.logs().string() : records_.back().reason));
  keep_mpi_on_the_control_network();
  folder_.write("nodes.json", nodes_);
  if (nodes_.size() != before) plan_.clear();
  for (const Finding& f : judge_preflight(present_)) watcher_.noticed(one_line(f));
  if (promise_.cluster)
    for (const Finding& f : judge_drift(*promise_.cluster, present_, promise_.catalogue()))
      watcher_.noticed(one_line(f));
}

void Session::bring_program(const std::vector<std::string>& nodes) {
  for (const auto& [node, why] : deliver(*delivery_, nodes)) {
    could_not_ask(node, Outcome::error, trouble_in(why, Trouble::dead_at_start), why);
    unreached_.insert(node);
  }
}

std::vector<std::string> Session::unanswered() const {
  std::vector<std::string> names;
  for (const std::string& name : choice_.names) {
    const bool known =
        std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.name == name; });
    const Record* last = last_record(probe_test, name);
    if (!known || (last && last->outcome != Outcome::ok)) names.push_back(name);
  }
  return names;
}

void Session::use_present_nodes() {
  const auto place = [&](const Node& n) {
    return std::find(choice_.names.begin(), choice_.names.end(), n.name);
  };
  std::sort(nodes_.begin(), nodes_.end(),
            [&](const Node& x, const Node& y) { return place(x) < place(y); });
  const std::vector<std::string> missing = unanswered();
  present_.clear();
  for (const Node& n : nodes_)
    if (place(n) != choice_.names.end() &&
        std::find(missing.begin(), missing.end(), n.name) == missing.end())
      present_.push_back(n);
}

const Record* Session::last_record(const char* test, const std::string& node) const {
  for (auto r = records_.rbegin(); r != records_.rend(); ++r)
    if (r->assignment.test == test && r->assignment.places.at(0) == node) return &*r;
  return nullptr;
}

void Session::ask_nodes(std::vector<std::string> ask) {
  constexpr int most_attempts = 3;
  for (int attempt = 1; attempt <= most_attempts && !ask.empty(); ++attempt) {
    std::vector<Launch> launches;
    for (const std::string& node : ask) {
      const Assignment a = probe_of(node);
      launches.push_back({LaunchKind::probe, {node}, {a}, a.attempt});
    }
    const std::size_t before = records_.size();
    if (!carry_out_some(std::move(launches))) return;
    ask.clear();
    for (std::size_t i = before; i < records_.size(); ++i)
      if (records_[i].outcome != Outcome::ok && records_[i].culprits.empty())
        ask.push_back(records_[i].assignment.places.at(0));
  }
}

void Session::keep_mpi_on_the_control_network() {
  std::set<std::string> subnets, interfaces;
  for (const Node& n : present_) {
    interfaces.insert(n.condition.interface);
    if (!n.condition.subnet.empty()) subnets.insert(n.condition.subnet);
  }
  if (!choice_.control.subnet.empty()) subnets.insert(choice_.control.subnet);
  if (choice_.engine != Engine::local)
    head_.keep_mpi_on(fmt::format("{}", fmt::join(subnets, ",")),
                      interfaces.size() == 1 ? *interfaces.begin() : "");
}

void Session::could_not_ask(const std::string& node, Outcome outcome, Trouble trouble,
                            const std::string& why) {
  Record r;
  r.assignment = probe_of(node);
  r.outcome = outcome;
  r.trouble = trouble;
  r.reason = why;
  r.culprits = {node};
  r.started = utc_now();
  keep(std::move(r));
}

Assignment Session::probe_of(const std::string& node) const {
  Assignment a;
  a.test = probe_test;
  a.places = {node};
  a.run = options_.request.run;
  for (const Record& r : records_)
    if (r.assignment.test == probe_test && r.assignment.places == a.places)
      a.attempt = std::max(a.attempt, r.assignment.attempt + 1);
  return a;
}

void Session::sweep(const std::vector<std::string>& nodes) {
  if (choice_.engine == Engine::simulated) return;
  std::vector<Command> commands;
  for (const std::string& node : nodes)
    commands.push_back(launcher()({LaunchKind::sweep, {node}, {}}, head_.contact()));
  const std::vector<Answer> answers = ask_all(commands, sweeps_at_once, sweep_seconds);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool stays = answers[i].output.find("can't be killed") != std::string::npos;
    const Record* before = last_record(sweep_test, nodes[i]);
    const bool stayed = before && before->outcome != Outcome::ok;
    if (!answers[i].ok())
      folder_.note(fmt::format("{} could not be swept: {}", nodes[i], answers[i].said()));
    if (stays == stayed || (!stays && !answers[i].ok())) continue;
    Record r;
    r.assignment = probe_of(nodes[i]);
    r.assignment.test = sweep_test;
    if (before) r.assignment.attempt = before->assignment.attempt + 1;
    r.started = utc_now();
    r.outcome = stays ? Outcome::error : Outcome::ok;
    if (stays) {
      r.trouble = Trouble::unkillable;
      r.reason = answers[i].said();
      r.culprits = {nodes[i]};
    }
    keep(std::move(r));
  }
}

void Session::sweep_again() {
  std::vector<std::string> nodes;
  for (const std::string& node : choice_.names)
    if (const Record* last = last_record(sweep_test, node); last && last->outcome != Outcome::ok)
      nodes.push_back(node);
  sweep(nodes);
}

}  // namespace acceptance
