#include "runner/plan/next.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

std::vector<Assignment> a_plan() {
  std::vector<Assignment> plan;
  for (const char* n : {"n1", "n2", "n3"})
    for (const char* t : {"s.a", "s.b"}) plan.push_back(assignment_of(t, {n}));
  plan.push_back(assignment_of("s.pair", {"n1", "n2"}));
  plan.push_back(assignment_of("s.all", {"n1", "n2", "n3"}));
  return plan;
}

TEST(Next, NodesOfDifferentMachinesWorkSideBySideThenTheWorld) {
  const std::vector<Node> nodes{node_of("n1", "x"), node_of("n2", "y"), node_of("n3", "z")};
  const auto plan = a_plan();
  auto launches = next(plan, {}, nodes);
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].work.size(), 2u);
  std::vector<Record> records;
  for (const Launch& l : launches)
    for (const Assignment& a : l.work) records.push_back(record_of(a, Outcome::ok));
  launches = next(plan, records, nodes);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kind, LaunchKind::world);
  EXPECT_EQ(launches[0].work.size(), 2u);
  for (const Assignment& a : launches[0].work) records.push_back(record_of(a, Outcome::failed));
  EXPECT_TRUE(next(plan, records, nodes).empty()) << "failed is final";
}

TEST(Next, PlacesOfOneMachineDoNotDisturbEachOther) {
  const std::vector<Node> nodes{node_of("n1", "x"), node_of("n2", "x"), node_of("n3", "x")};
  const auto plan = a_plan();
  std::vector<Record> records;
  for (int wave = 0; wave < 3; ++wave) {
    const auto launches = next(plan, records, nodes);
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].kind, LaunchKind::node);
    for (const Assignment& a : launches[0].work) records.push_back(record_of(a, Outcome::ok));
  }
  EXPECT_EQ(next(plan, records, nodes).at(0).kind, LaunchKind::world);
}

TEST(Next, WhatWasInterruptedIsRunAgainButNotForEver) {
  const std::vector<Node> nodes{node_of("n1")};
  const std::vector<Assignment> plan{assignment_of("s.a", {"n1"})};
  std::vector<Record> records;
  for (int i = 0; i < most_interruptions; ++i) {
    ASSERT_EQ(next(plan, records, nodes).size(), 1u) << i;
    records.push_back(record_of(plan[0], Outcome::interrupted));
  }
  EXPECT_TRUE(next(plan, records, nodes).empty());
}

TEST(Next, InterruptionsByAKnownCauseDoNotCount) {
  const std::vector<Node> nodes{node_of("n1")};
  const std::vector<Assignment> plan{assignment_of("s.a", {"n1"})};
  Record torn_along = record_of(plan[0], Outcome::interrupted);
  torn_along.culprit = "n2 rank 1";
  EXPECT_EQ(next(plan, std::vector<Record>(20, torn_along), nodes).size(), 1u);
}

// Whatever is lost at whatever moment: asked again and again, next gives every assignment exactly
// once.
TEST(Next, FromAnyPointOnEveryAssignmentIsDoneOnce) {
  std::mt19937 random(11);
  const std::vector<Node> nodes{node_of("n1", "x"), node_of("n2", "y"), node_of("n3", "x")};
  const auto plan = a_plan();
  for (int run = 0; run < 200; ++run) {
    std::vector<Record> records;
    std::multiset<std::string> done;
    for (int guard = 0; guard < 1000; ++guard) {
      const auto launches = next(plan, records, nodes);
      if (launches.empty()) break;
      for (const Launch& l : launches)
        for (const Assignment& a : l.work) {
          if (random() % 3 == 0) break;  // this launch dies here
          records.push_back(record_of(a, Outcome::ok));
          done.insert(a.id());
        }
    }
    EXPECT_EQ(done.size(), plan.size());
    EXPECT_EQ(std::set<std::string>(done.begin(), done.end()).size(), plan.size());
  }
}

}  // namespace
}  // namespace acceptance
