#include "runner/worker/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>

#include "runner/launch/network.h"
#include "runner/plan/trouble.h"
#include "runner/version.h"
#include "runner/worker/link.h"
#include "suites/core/state.h"
#include "suites/inventory/observe.h"
#include "suites/inventory/probe.h"
#include "suites/vendor/mpi_world.h"

namespace acceptance {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value)
    throw std::runtime_error(
        fmt::format("{} is not set: 'accept worker' is started by 'accept run'", name));
  return value;
}

Connection connect_to_head() {
  const auto address = variable("ACCEPT_HEAD");
  const auto port = static_cast<std::uint16_t>(std::stoi(variable("ACCEPT_PORT")));
  return Connection::to(address, port);
}

/// Runs the body, and turns whatever it throws into an outcome: the one place where that happens.
void run_body(const Test& test, State& state, Record& record) {
  try {
    test.body(state);
    record.outcome = Outcome::ok;
  } catch (const Skip& e) {
    record.outcome = Outcome::skipped;
    record.reason = e.what();
  } catch (const Failure& e) {
    record.outcome = Outcome::failed;
    record.reason = e.what();
  } catch (const std::exception& e) {
    record.outcome = Outcome::error;
    record.reason = e.what();
    record.trouble = trouble_in(record.reason, Trouble::none);
  } catch (...) {
    record.outcome = Outcome::error;
    record.reason = "the body threw something that is no exception";
  }
}

Record carry_out(const Json& order, const Node& node, MpiWorld* world, Link& link) {
  Record record;
  order.at("assignment").get_to(record.assignment);
  const Assignment& a = record.assignment;
  const auto begin = std::chrono::steady_clock::now();
  const Test* test = find_test(a.test);
  if (!test) {
    record.reason = "this build has no such test";
    return record;
  }
  link.clean_up_on_loss(own_scratch_prefix(a, node));
  std::unique_ptr<Communicator> group;
  if (world)
    group = world->group(order.at("ranks").get<std::vector<int>>());
  else
    group = std::make_unique<SoloCommunicator>();
  {
    State state(a, *test, node, *group);
    link.watch([&state, &group]() -> Json {
      return {
          {"doing", state.phase()}, {"meetings", group->meetings()}, {"waiting", group->waiting()}};
    });
    const Observers observers;
    run_body(*test, state, record);
    record.measurements = state.take_measurements();
    record.observations = state.take_observations();
    for (Observation& o : observers.finish())
      // With several ranks on a machine "other processes" are mostly the other ranks.
      if (group->size() == 1 || o.name != foreign_time) record.observations.push_back(std::move(o));
    link.watch({});
  }
  if (world && group->rank() == 0)
    record.observations.push_back({"mpi library", "", world->library(), Unit::text});
  // A rank that failed alone must not wait for the others in a collective clean-up: the head ends
  // them.
  if (record.outcome != Outcome::ok && group->size() > 1) static_cast<void>(group.release());
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

/// This machine's clock minus the head's, from the exchange with the shortest round trip.
void compare_clocks(Link& link, Condition& condition) {
  using System = std::chrono::system_clock;
  constexpr int exchanges = 8;
  const auto seconds = [](auto d) { return std::chrono::duration<double>(d).count(); };
  double shortest = std::numeric_limits<double>::max();
  for (int i = 0; i < exchanges; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const double ours = seconds(System::now().time_since_epoch());
    link.send({{"clock", true}});
    const Json answer = link.wait_for_order();
    const double trip = seconds(std::chrono::steady_clock::now() - begin);
    if (!answer.contains("clock")) throw std::runtime_error("no answer about the clock");
    if (trip >= shortest) continue;
    shortest = trip;
    condition.clock_offset = ours + trip / 2 - answer.at("clock").get<double>();
    condition.clock_uncertainty = trip / 2;
  }
}

/// What this machine is made of, and how it is connected to the head.
Node examine(Link& link) {
  Node node = probe();
  compare_clocks(link, node.condition);
  const ControlNetwork control = network_of_socket(link.fd());
  node.condition.interface = control.interface;
  node.condition.address = control.address;
  node.condition.subnet = control.subnet;
  try {
    node.condition.mpi = mpi_library(variable("ACCEPT_MPI_MODULE"));
  } catch (const std::exception& e) {
    node.unknown["mpi"] = e.what();
  }
  return node;
}

}  // namespace

void take_contact_from_input() {
  for (std::string line; std::getline(std::cin, line);)
    if (const auto equals = line.find('=');
        line.starts_with("ACCEPT_") && equals != std::string::npos)
      ::setenv(line.substr(0, equals).c_str(), line.substr(equals + 1).c_str(), 1);
}

int work() {
  std::unique_ptr<MpiWorld> world;
  if (std::getenv("ACCEPT_WORLD"))
    world = std::make_unique<MpiWorld>(variable("ACCEPT_MPI_MODULE"));

  Link link(connect_to_head());
  send_last_words_over(link.fd());
  if (const char* folder = std::getenv("ACCEPT_FOLDER")) link.remove_on_loss(folder);
  link.send({{"hello",
              {{"token", variable("ACCEPT_TOKEN")},
               {"launch", std::stoi(variable("ACCEPT_LAUNCH"))},
               {"rank", world ? world->rank() : 0},
               {"size", world ? world->size() : 1},
               {"host", host_name()},
               {"build", build_id()}}}});
  Node node;
  for (;;) {
    const Json order = link.wait_for_order();
    if (order.contains("stop")) return 0;
    if (order.contains("welcome")) {
      const Json& welcome = order.at("welcome");
      if (welcome.at("probe").get<bool>()) link.send({{"node", examine(link)}});
      if (welcome.contains("node")) welcome.at("node").get_to(node);
    }
    if (order.contains("run"))
      link.send({{"piece", carry_out(order.at("run"), node, world.get(), link)}});
  }
}

}  // namespace acceptance
