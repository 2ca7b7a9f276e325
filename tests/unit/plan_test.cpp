#include "runner/plan/plan.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

std::vector<Test> three_tests() {
  std::vector<Test> t{test_of("compute.a", {{"rate", Unit::count, Better::higher, ""}}),
                      test_of("interconnect.b", {{"time", Unit::seconds, Better::lower, ""}}),
                      test_of("interconnect.c", {{"time", Unit::seconds, Better::lower, ""}})};
  t[0].params = {{"size", Unit::bytes, {1.0, 2.0, 3.0}, {1.0}}, {"how", {"x", "y"}}};
  t[1].scopes = {Scope::pair};
  t[2].scopes = {Scope::cluster};
  return t;
}

TEST(Select, ByNameGlobAndSuiteWithSuggestions) {
  const auto all = three_tests();
  Request r;
  EXPECT_EQ(select(all, r).size(), 3u);
  r.tests = {"interconnect.*"};
  EXPECT_EQ(select(all, r).size(), 2u);
  r.suites = {"interconnect"};
  r.tests = {"*.b"};
  EXPECT_EQ(select(all, r).size(), 1u);
  r.suites = {"compute"};
  EXPECT_THROW(select(all, r), std::invalid_argument) << "nothing is in both";
  r = {};
  r.tests = {"compute.aa"};
  try {
    select(all, r);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "no test matches 'compute.aa'; did you mean compute.a?");
  }
}

TEST(Points, AreTheProductOfTheParametersOfTheProfile) {
  const auto all = three_tests();
  Request r;
  EXPECT_EQ(points(all[0], r).size(), 6u);
  r.profile = Profile::quick;
  EXPECT_EQ(points(all[0], r).size(), 2u);
  r.fixed = {{"size", "4 KiB"}, {"how", "y"}};
  const auto one = points(all[0], r);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].at("size"), Value(4096.0));
  for (const auto& [key, value] : std::map<std::string, std::string>{
           {"size", "-1"}, {"size", "0"}, {"how", "z"}, {"size", "3 s"}, {"size", "1e300 B"}}) {
    r.fixed = {{key, value}};
    EXPECT_THROW(points(all[0], r), std::invalid_argument) << key << value;
  }
}

TEST(Plan, ASingleNodeStandsInForPairsAndClusterWithTwoRanks) {
  const auto all = three_tests();
  const auto chosen = select(all, Request{});
  const auto plan = make_plan(chosen, {node_of("n")}, Request{});
  ASSERT_EQ(plan.size(), 8u);
  EXPECT_EQ(plan[6].places, (std::vector<std::string>{"n", "n"}));
  EXPECT_EQ(plan[7].places, (std::vector<std::string>{"n", "n"}));
}

TEST(Plan, WhatIsMeasuredTwiceComesAgainAfterAllElseOnTheNode) {
  auto all = three_tests();
  all[0].params.clear();
  all[0].twice = true;
  all.push_back(test_of("storage.z", {{"time", Unit::seconds, Better::lower, ""}}));
  const auto chosen = select(all, Request{});
  const auto plan = make_plan(chosen, {node_of("n")}, Request{});
  ASSERT_EQ(plan.size(), 5u);
  EXPECT_EQ(plan[0].id(), "compute.a@1//n#1");
  EXPECT_EQ(plan[1].test, "storage.z");
  EXPECT_EQ(plan[2].id(), "compute.a@1//n#2");
}

TEST(Plan, IdsAreUniqueAndDoNotDependOnAnythingElse) {
  const auto all = three_tests();
  const auto chosen = select(all, Request{});
  std::vector<Node> nodes;
  for (int i = 0; i < 5; ++i) nodes.push_back(node_of("n" + std::to_string(i)));
  const auto plan = make_plan(chosen, nodes, Request{}),
             twice = make_plan(chosen, nodes, Request{});
  std::set<std::string> ids;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_TRUE(ids.insert(plan[i].id()).second) << plan[i].id();
    EXPECT_EQ(plan[i].id(), twice[i].id());
  }
  EXPECT_EQ(plan.size(), 5u * 6 + 10 + 1);
}

}  // namespace
}  // namespace acceptance
