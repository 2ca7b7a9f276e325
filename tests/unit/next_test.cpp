#include "runner/plan/next.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  const std::vector<Record> nothing;
  auto launches = next({plan, nothing, nodes});
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].work.size(), 2u);
  std::vector<Record> records;
  for (const Launch& l : launches)
    for (const Assignment& a : l.work) records.push_back(record_of(a, Outcome::ok));
  launches = next({plan, records, nodes});
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kind, LaunchKind::world);
  EXPECT_EQ(launches[0].work.size(), 2u);
  for (const Assignment& a : launches[0].work) records.push_back(record_of(a, Outcome::failed));
  EXPECT_TRUE(next({plan, records, nodes}).empty()) << "failed is final";
}

TEST(Next, PlacesOfOneMachineDoNotDisturbEachOther) {
  const std::vector<Node> nodes{node_of("n1", "x"), node_of("n2", "x"), node_of("n3", "x")};
  const auto plan = a_plan();
  std::vector<Record> records;
  for (int wave = 0; wave < 3; ++wave) {
    const auto launches = next({plan, records, nodes});
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].kind, LaunchKind::node);
    for (const Assignment& a : launches[0].work) records.push_back(record_of(a, Outcome::ok));
  }
  EXPECT_EQ(next({plan, records, nodes}).at(0).kind, LaunchKind::world);
}

TEST(Next, WhatWasInterruptedIsRunAgainButNotForEver) {
  const std::vector<Node> nodes{node_of("n1")};
  const std::vector<Assignment> plan{assignment_of("s.a", {"n1"})};
  std::vector<Record> records;
  for (int i = 0; i < most_interruptions; ++i) {
    ASSERT_EQ(next({plan, records, nodes}).size(), 1u) << i;
    records.push_back(record_of(plan[0], Outcome::interrupted));
  }
  EXPECT_TRUE(next({plan, records, nodes}).empty());
}

TEST(Next, InterruptionsByAKnownCauseDoNotCount) {
  const std::vector<Node> nodes{node_of("n1")};
  const std::vector<Assignment> plan{assignment_of("s.a", {"n1"})};
  Record torn_along = record_of(plan[0], Outcome::interrupted);
  torn_along.culprits = {"n2"};
  const std::vector<Record> many(20, torn_along);
  EXPECT_EQ(next({plan, many, nodes}).size(), 1u);
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
      const auto launches = next({plan, records, nodes});
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

Record blamed(Record r, Trouble trouble, std::vector<std::string> culprits) {
  r.trouble = trouble;
  r.culprits = std::move(culprits);
  return r;
}

struct Cluster {
  std::vector<Node> nodes;
  std::vector<Assignment> plan;
  std::vector<Record> records;
  explicit Cluster(int size) {
    for (int i = 1; i <= size; ++i)
      nodes.push_back(node_of("n" + std::to_string(i), "boot" + std::to_string(i)));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t k = i + 1; k < nodes.size(); ++k)
        plan.push_back(assignment_of("s.pair", {nodes[i].name, nodes[k].name}));
    std::vector<std::string> all;
    for (const Node& n : nodes) all.push_back(n.name);
    plan.push_back(assignment_of("s.all", all));
  }
  std::vector<Launch> ask(std::size_t since = 0) const {
    return next({plan, records, nodes, since});
  }
  /// Carries launches out; in a world with a bad node everything stops at its first assignment.
  void carry_out(const std::vector<Launch>& launches, const std::set<std::string>& bad,
                 Trouble trouble) {
    for (const Launch& l : launches)
      for (const Assignment& a : l.work) {
        std::vector<std::string> culprits;
        for (const std::string& p : a.places)
          if (bad.contains(p)) culprits.push_back(p);
        if (culprits.empty()) {
          records.push_back(record_of(a, Outcome::ok));
          continue;
        }
        records.push_back(blamed(record_of(a, Outcome::timed_out), trouble, culprits));
        break;
      }
  }
};

TEST(Next, ASuspectIsLeftOutThenTriedBesideGoodNodesThenSetApart) {
  Cluster c(4);
  int waves = 0;
  std::vector<std::set<std::string>> worlds;
  for (auto l = c.ask(); !l.empty(); l = c.ask()) {
    ASSERT_LT(++waves, 10);
    ASSERT_EQ(l.size(), 1u);
    worlds.emplace_back(l[0].places.begin(), l[0].places.end());
    c.carry_out(l, {"n3"}, Trouble::silent);
  }
  ASSERT_EQ(worlds.size(), 3u);
  EXPECT_EQ(worlds[0].size(), 4u);
  EXPECT_EQ(worlds[1], (std::set<std::string>{"n1", "n2", "n4"}))
      << "the good ones go on without it";
  EXPECT_EQ(worlds[2].size(), 4u) << "its own chance";
  const std::vector<Record> undone = left_undone({c.plan, c.records, c.nodes});
  std::set<std::string> reasons;
  for (const Record& r : undone) {
    EXPECT_EQ(r.culprits, std::vector<std::string>{"n3"});
    EXPECT_EQ(r.trouble, Trouble::set_apart);
    EXPECT_EQ(r.outcome, Outcome::interrupted) << "a resumed run tries again";
  }
  EXPECT_EQ(undone.size(), 2u) << "one pair of n3's three that was never tried, and all together";
  const auto more = without_the_lost({c.plan, c.records, c.nodes});
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].places, (std::vector<std::string>{"n1", "n2", "n4"}));
  EXPECT_FALSE(c.ask(c.records.size()).empty()) << "resumed: everybody has a new chance";
}

TEST(Next, ASuspectThatIsWellAgainDoesAllItsWork) {
  Cluster c(4);
  c.carry_out(c.ask(), {"n2"}, Trouble::silent);
  int waves = 0;
  for (auto l = c.ask(); !l.empty(); l = c.ask()) {
    ASSERT_LT(++waves, 5);
    c.carry_out(l, {}, Trouble::none);
  }
  std::set<std::string> done;
  for (const Record& r : c.records) done.insert(r.assignment.id());
  EXPECT_EQ(done.size(), c.plan.size());
  EXPECT_TRUE(left_undone({c.plan, c.records, c.nodes}).empty());
}

// Whoever is bad, in whatever number: it ends, nobody else is blamed, all work of good nodes is
// done.
TEST(Next, WhateverIsBadTheGoodOnesAreMeasuredAndNobodyElseIsSetApart) {
  for (int size = 2; size <= 7; ++size)
    for (int mask = 0; mask < (1 << size); ++mask)
      for (const Trouble trouble : {Trouble::silent, Trouble::died, Trouble::hung}) {
        Cluster c(size);
        std::set<std::string> bad;
        for (int i = 0; i < size; ++i)
          if (mask >> i & 1) bad.insert("n" + std::to_string(i + 1));
        int waves = 0;
        for (auto l = c.ask(); !l.empty(); l = c.ask()) {
          ASSERT_LT(++waves, 100);
          c.carry_out(l, bad, trouble);
        }
        std::set<std::string> ok;
        for (const Record& r : c.records)
          if (r.outcome == Outcome::ok) ok.insert(r.assignment.id());
        for (const Assignment& a : c.plan) {
          bool healthy = true;
          for (const std::string& p : a.places) healthy = healthy && !bad.contains(p);
          EXPECT_EQ(ok.contains(a.id()), healthy) << a.id();
        }
        for (const Record& r : left_undone({c.plan, c.records, c.nodes}))
          for (const std::string& culprit : r.culprits) EXPECT_TRUE(bad.contains(culprit));
      }
}

TEST(Next, AWorldThatDoesNotComeToLifeHasItsNodesAskedAndIsTriedAgain) {
  Cluster c(3);
  const auto fail = [&](const Launch& l, std::vector<std::string> culprits) {
    c.records.push_back(
        blamed(record_of(launch_assignment(l), Outcome::error), Trouble::dead_at_start, culprits));
  };
  const auto first = c.ask();
  fail(first.at(0), {});
  const auto ask = c.ask();
  ASSERT_EQ(ask.size(), 3u);
  for (const Launch& l : ask) {
    EXPECT_EQ(l.kind, LaunchKind::probe);
    EXPECT_GT(l.attempt, 1);
    c.records.push_back(record_of(l.work[0], Outcome::ok));
  }
  const auto again = c.ask();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].kind, LaunchKind::world);
  EXPECT_EQ(again[0].attempt, 2);
  fail(again[0], {"n2"});
  EXPECT_EQ(c.ask().at(0).places, (std::vector<std::string>{"n1", "n3"}));
}

TEST(Next, FailedStartsCountOnlyWhileNothingGetsDone) {
  Cluster c(3);
  const auto fail = [&] {
    const auto l = c.ask().at(0);
    ASSERT_EQ(l.kind, LaunchKind::world);
    c.records.push_back(
        blamed(record_of(launch_assignment(l), Outcome::error), Trouble::dead_at_start, {}));
    for (const Launch& ask : c.ask()) c.records.push_back(record_of(ask.work.at(0), Outcome::ok));
  };
  for (std::size_t i = 0; i < c.plan.size(); ++i) {
    for (int k = 1; k < most_failed_starts; ++k) fail();
    c.records.push_back(record_of(c.ask().at(0).work.at(0), Outcome::ok));
  }
  EXPECT_TRUE(c.ask().empty());
  EXPECT_TRUE(left_undone({c.plan, c.records, c.nodes}).empty());
  Cluster never(3);
  c = never;
  for (int k = 0; k < most_failed_starts; ++k) {
    const auto l = c.ask();
    ASSERT_FALSE(l.empty());
    fail();
  }
  EXPECT_TRUE(c.ask().empty()) << "and then it is given up";
  EXPECT_EQ(left_undone({c.plan, c.records, c.nodes}).size(), c.plan.size());
}

TEST(Next, WhoeverTakesNoPartAnyMoreIsNotUsedAndItsWorkSaysSo) {
  Cluster c(3);
  std::vector<Node> present{c.nodes[0], c.nodes[2]};
  std::vector<Record> records;
  int waves = 0;
  for (auto l = next({c.plan, records, present}); !l.empty();
       l = next({c.plan, records, present})) {
    ASSERT_LT(++waves, 5);
    for (const Launch& launch : l) {
      EXPECT_EQ(std::count(launch.places.begin(), launch.places.end(), "n2"), 0);
      for (const Assignment& a : launch.work) records.push_back(record_of(a, Outcome::ok));
    }
  }
  const auto undone = left_undone({c.plan, records, present});
  EXPECT_EQ(undone.size(), 3u) << "two pairs and all together";
  for (const Record& r : undone) EXPECT_EQ(r.culprits, std::vector<std::string>{"n2"});
}

}  // namespace
}  // namespace acceptance
