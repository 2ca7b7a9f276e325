#include "runner/launch/simulated.h"

#include <gtest/gtest.h>

#include "runner/plan/next.h"
#include "runner/plan/plan.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

TEST(ReadFaults, WhatIsUnderstoodAndWhatIsNot) {
  const std::vector<std::string> nodes{"n1", "n2", "n3"};
  const Simulated is =
      read_faults("dead=n1,hung=n2,slow=n3:0.8,slow-link=n3+n1:0.5,seed=7,run=2", nodes);
  ASSERT_EQ(is.faults.size(), 4u);
  EXPECT_EQ(is.faults[0].kind, Fault::Kind::dead);
  EXPECT_EQ(is.faults[1].kind, Fault::Kind::silent);
  EXPECT_EQ(is.faults[2].here, std::set<std::string>{"n3"});
  EXPECT_EQ(is.faults[2].to, 0.8);
  EXPECT_EQ(is.faults[3].there, std::set<std::string>{"n1"});
  EXPECT_EQ(is.seed, 7u);
  EXPECT_EQ(is.run, 2u);
  EXPECT_TRUE(read_faults("", nodes).faults.empty());
  for (const char* bad : {"dead", "dead=n9", "slow=n1", "slow=n1:0", "slow=n1:2", "slow=n1:x",
                          "slow-link=n1:0.5", "slow-link=n1+n9:0.5", "seed=x", "ded=n1", "=", ",,"})
    EXPECT_THROW(read_faults(bad, nodes), std::invalid_argument) << bad;
}

TEST(ReadFaultFile, EverythingThatCanBeWrongWithACluster) {
  const std::vector<std::string> nodes{"n1", "n2", "n3", "n4"};
  Cluster cluster;
  cluster.fabric.leaves = {{"west", {"n1", "n2"}}, {"east", {"n3", "n4"}}};
  const auto read = [&](const std::string& text) {
    return read_fault_file(text, "faults.yaml", nodes, &cluster);
  };
  const Simulated is = read(R"(
seed: 3
run: 4
drift: 0.1
noise: {sample: 0.02, run: 0.01, node: 0.005, rack: 0.003, tails: heavy}
speeds: {compute.cpu_gemm.rate: 2 TFLOP/s}
faults:
  - {slow: "n[1-2]", to: 0.95, firmware: "28.39"}
  - {gpu: n3, to: 0.8}
  - {nic: n4, to: 0.5, often: 0.3}
  - {link: [n1, n3], hangs: true}
  - {leaf: west, to: 0.6, tests: "*all_reduce"}
  - {leaves: [west, east], to: 0.6}
  - {rail: 3, to: 0.9}
  - {corrupt: n2}
  - {slow: all, to: 0.8}
)");
  ASSERT_EQ(is.faults.size(), 9u);
  EXPECT_EQ(is.run, 4u);
  EXPECT_EQ(is.rack_spread, 0.003);
  EXPECT_TRUE(is.heavy_tails);
  EXPECT_EQ(is.speeds.at("compute.cpu_gemm.rate"), 2e12);
  EXPECT_EQ(is.faults[0].firmware, "28.39");
  EXPECT_EQ(is.faults[1].tests, "compute.*");
  EXPECT_EQ(is.faults[2].often, 0.3);
  EXPECT_EQ(is.faults[3].to, 0);
  EXPECT_EQ(is.faults[4].there, (std::set<std::string>{"n3", "n4"}));
  EXPECT_EQ(is.faults[5].here, (std::set<std::string>{"n1", "n2"}));
  EXPECT_EQ(is.faults[8].here.size(), 4u);
  for (const char* bad :
       {"faults: [{slow: n9}]", "faults: [{slow: n1, dead: n2}]", "faults: [{to: 0.5}]",
        "faults: [{leaf: north}]", "faults: [{link: [n1]}]", "faults: [{slow: n1, to: 2}]",
        "faults: [{slow: n1, often: x}]", "noise: {sample: 2}", "speeds: {compute.gemm.rate: 2}",
        "speeds: {compute.cpu_gemm.rate: 2 GB/s}", "fault: []", "faults: [{slow: \"n[\"}]"})
    EXPECT_THROW(read(bad), std::invalid_argument) << bad;
}

/// Runs a plan through to the end.
struct Rehearsal {
  std::vector<Node> nodes;
  std::vector<Record> records;
  std::vector<Assignment> plan;
  Rehearsal(int size, const std::string& faults) {
    std::vector<std::string> names;
    for (int i = 1; i <= size; ++i) names.push_back("n" + std::to_string(i));
    Simulation s(read_faults(faults, names),
                 {[](const Assignment&) {}, [this](Record r) { records.push_back(std::move(r)); },
                  [this](Node n) { nodes.push_back(std::move(n)); }});
    std::vector<Launch> ask;
    for (const auto& n : names)
      ask.push_back({LaunchKind::probe, {n}, {assignment_of(probe_test, {n})}});
    s.run(ask);
    for (const Test& t : tests()) chosen.push_back(&t);
    plan = make_plan(chosen, nodes, {});
    for (auto l = next({plan, records, nodes}); !l.empty(); l = next({plan, records, nodes}))
      s.run(l);
  }
  std::vector<const Test*> chosen;
};

TEST(Simulation, TheSameSeedGivesTheSameRunAndFaultsAreWhatWasOrdered) {
  const Rehearsal one(6, "dead=n2,hung=n4,slow=n5:0.5"), same(6, "dead=n2,hung=n4,slow=n5:0.5");
  ASSERT_EQ(one.records.size(), same.records.size());
  std::set<std::string> blamed;
  for (std::size_t i = 0; i < one.records.size(); ++i) {
    EXPECT_EQ(dump(Json(one.records[i])), dump(Json(same.records[i])));
    blamed.insert(one.records[i].culprits.begin(), one.records[i].culprits.end());
  }
  EXPECT_EQ(blamed, (std::set<std::string>{"n2", "n4"})) << "slow ones are not dead";
  for (const Record& r : left_undone({one.plan, one.records, one.nodes}))
    EXPECT_EQ(r.culprits, std::vector<std::string>{"n4"});
}

}  // namespace
}  // namespace acceptance
