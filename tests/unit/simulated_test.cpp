#include "runner/launch/simulated.h"

#include <gtest/gtest.h>

#include "runner/plan/next.h"
#include "runner/plan/plan.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

TEST(ReadFaults, WhatIsUnderstoodAndWhatIsNot) {
  const std::vector<std::string> nodes{"n1", "n2", "n3"};
  const Faults f = read_faults("dead=n1,hung=n2,slow=n3:0.8,slow-link=n3+n1:0.5,seed=7", nodes);
  EXPECT_TRUE(f.dead.contains("n1") && f.hung.contains("n2"));
  EXPECT_EQ(f.slow.at("n3"), 0.8);
  EXPECT_EQ(f.slow_links.at({"n1", "n3"}), 0.5);
  EXPECT_EQ(f.seed, 7u);
  EXPECT_TRUE(read_faults("", nodes).dead.empty());
  for (const char* bad : {"dead", "dead=n9", "slow=n1", "slow=n1:0", "slow=n1:2", "slow=n1:x",
                          "slow-link=n1:0.5", "slow-link=n1+n9:0.5", "seed=x", "ded=n1", "=", ",,"})
    EXPECT_THROW(read_faults(bad, nodes), std::invalid_argument) << bad;
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
