#include "runner/worker/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>

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
    link.watch([](const void* s) { return static_cast<const State*>(s)->phase(); }, &state);
    const Observers observers;
    run_body(*test, state, record);
    record.measurements = state.take_measurements();
    record.observations = state.take_observations();
    for (Observation& o : observers.finish())
      // With several ranks on a machine "other processes" are mostly the other ranks.
      if (group->size() == 1 || o.name != foreign_time) record.observations.push_back(std::move(o));
    link.watch(nullptr, nullptr);
  }
  if (world && group->rank() == 0) {
    const std::string mpi = world->version();
    record.observations.push_back(
        {"mpi library", "", mpi.substr(0, mpi.find_first_of(",\n")), Unit::text});
  }
  // A rank that failed alone must not wait for the others in a collective clean-up: the head ends
  // them.
  if (record.outcome != Outcome::ok && group->size() > 1) static_cast<void>(group.release());
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
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
  std::string module;
  if (const char* m = std::getenv("ACCEPT_MPI_MODULE")) module = m;
  if (!module.empty()) world = std::make_unique<MpiWorld>(module);

  Link link(connect_to_head());
  send_last_words_over(link.fd());
  link.send({{"hello",
              {{"token", variable("ACCEPT_TOKEN")},
               {"launch", std::stoi(variable("ACCEPT_LAUNCH"))},
               {"rank", world ? world->rank() : 0},
               {"size", world ? world->size() : 1},
               {"pid", ::getpid()},
               {"build", build_id()}}}});
  Node node;
  for (;;) {
    const Json order = link.wait_for_order();
    if (order.contains("stop")) return 0;
    if (order.contains("welcome")) {
      const Json& welcome = order.at("welcome");
      if (welcome.at("probe").get<bool>()) link.send({{"node", probe()}});
      if (welcome.contains("node")) welcome.at("node").get_to(node);
    }
    if (order.contains("run"))
      link.send({{"piece", carry_out(order.at("run"), node, world.get(), link)}});
  }
}

}  // namespace acceptance
