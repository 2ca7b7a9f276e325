#include "reports/verdict/equal_places.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "reports/cluster/cluster_file.h"
#include "reports/verdict/judge.h"
#include "reports/verdict/rules.h"
#include "runner/second_look.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

const Metric rate{"rate", Unit::bytes_per_second, Better::higher, "bytes a second"};

/// A run over n1, n2, …: every node alone, and all pairs.
struct MadeRun {
  RunFiles files = run_of({test_of("s.node", {rate}), test_of("s.pair", {rate})}, {}, {}, {});

  explicit MadeRun(int nodes) {
    for (int n = 1; n <= nodes; ++n) files.nodes.push_back(node_of(fmt::format("n{}", n)));
  }

  void add(const std::string& test, std::vector<std::string> places, double value,
           int attempt = 1) {
    Assignment a = assignment_of(test, std::move(places));
    a.attempt = attempt;
    Record r = record_of(a, Outcome::ok);
    std::vector<double> samples;
    for (int i = 0; i < 9; ++i) samples.push_back(value * (1 + 0.001 * (i - 4)));
    r.measurements = {{"rate", Unit::bytes_per_second, Samples(samples)}};
    files.plan.push_back(a);
    files.records.push_back(r);
  }

  /// One percent of spread, so that nobody is like another to the digit.
  void add_nodes(const std::function<double(int)>& share) {
    for (int n = 1; n <= static_cast<int>(files.nodes.size()); ++n)
      add("s.node", {fmt::format("n{}", n)}, 1e9 * share(n) * (1 + 0.01 * (n * 7 % 5 - 2)));
  }
  void add_pairs(const std::function<double(int, int)>& share) {
    const int count = static_cast<int>(files.nodes.size());
    for (int a = 1; a <= count; ++a)
      for (int b = a + 1; b <= count; ++b)
        add("s.pair", {fmt::format("n{}", a), fmt::format("n{}", b)},
            1e9 * share(a, b) * (1 + 0.005 * ((a * 7 + b * 11) % 5 - 2)));
  }

  std::vector<Finding> found() const {
    const auto findings = judge(files);
    auto all = judge_fleet(files, fleet_of(files), findings);
    for (Finding& f : judge_pairs(files, pairs_of(files), findings)) all.push_back(std::move(f));
    return all;
  }

  /// Measures what is to be looked at again.
  std::size_t look_again(const std::function<double(const Assignment&)>& value) {
    const auto looks = second_looks(files);
    for (const Assignment& a : looks) add(a.test, a.places, value(a), a.attempt);
    return looks.size();
  }
};

double third_is_slow(int n) { return n == 3 ? 0.7 : 1.0; }

TEST(EqualPlaces, ASlowNodeIsSuspectedThenLookedAtAgainAndFails) {
  MadeRun run(16);
  run.add_nodes(third_is_slow);
  auto found = run.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(found[0].culprits, std::vector<std::string>{"n3"});
  EXPECT_PRED2(contains, found[0].reason, "not measured again");

  EXPECT_EQ(run.look_again([](const Assignment& a) {
    EXPECT_EQ(a.attempt, 2);
    EXPECT_EQ(a.places, std::vector<std::string>{"n3"});
    return 0.71e9;
  }),
            1u);
  found = run.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].verdict, Verdict::fail);
  for (const char* part : {"n3 is 29", "16 nodes of one model", "healthy clusters", "it was 29"})
    EXPECT_PRED2(contains, found[0].reason, part);
  EXPECT_TRUE(second_looks(run.files).empty()) << "one second look is enough";
}

TEST(EqualPlaces, WhoIsWellTheSecondTimeIsNotRejected) {
  MadeRun run(16);
  run.add_nodes(third_is_slow);
  run.look_again([](const Assignment&) { return 1e9; });
  for (const Finding& f : run.found()) EXPECT_EQ(f.verdict, Verdict::remark) << f.reason;
}

TEST(EqualPlaces, AboveItsFloorANodeGetsARemarkUnlessThePolicyFailsIt) {
  MadeRun run(16);
  run.add_nodes(third_is_slow);
  run.look_again([](const Assignment&) { return 0.7e9; });
  auto findings = judge(run.files);
  for (Finding& f : findings) f.verdict = Verdict::pass;
  auto found = judge_fleet(run.files, fleet_of(run.files), findings);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].verdict, Verdict::remark);
  EXPECT_PRED2(contains, found[0].reason, "meets its floor");
  Policy policy;
  policy.severity["machine.fleet"] = "fail";
  apply_policy(policy, found);
  EXPECT_EQ(found[0].verdict, Verdict::fail);
}

TEST(EqualPlaces, NodesOfSeveralKindsAreNotComparedWithEachOther) {
  MadeRun run(16);
  for (int n = 8; n < 16; ++n) run.files.nodes[static_cast<std::size_t>(n)].cpu.model = "B CPU";
  run.add_nodes([](int n) { return n > 8 ? 0.5 : 1.0; });
  EXPECT_TRUE(run.found().empty());
  run.files.promise.cluster =
      parse_cluster("{format: accept.cluster/1, name: c, groups: {g: {nodes: 'n[1-16]'}}}", "c",
                    builtin_catalogue());
  const auto found = run.found();
  ASSERT_EQ(found.size(), 1u) << "of one promised group, they should be equal";
  EXPECT_EQ(found[0].verdict, Verdict::remark);
  EXPECT_PRED2(contains, found[0].reason, "not homogeneous");
}

TEST(EqualPlaces, RanksOfOneMachineAreNoPlaces) {
  MadeRun run(16);
  run.files.run["launcher"] = "local";
  run.add_nodes(third_is_slow);
  run.add_pairs([](int a, int b) { return a == 3 || b == 3 ? 0.5 : 1.0; });
  EXPECT_TRUE(run.found().empty());
  EXPECT_TRUE(second_looks(run.files).empty());
}

TEST(EqualPlaces, ASlowPortIsLookedAtWithSomePartnersAndNamed) {
  MadeRun run(16);
  const auto slow = [](int a, int b) { return a == 3 || b == 3 ? 0.7 : 1.0; };
  run.add_pairs(slow);
  // Two pairs were not measured: they are the ones to look at.
  std::erase_if(run.files.records, [](const Record& r) {
    return r.assignment.places == std::vector<std::string>{"n3", "n15"} ||
           r.assignment.places == std::vector<std::string>{"n3", "n16"};
  });
  std::vector<std::string> partners;
  EXPECT_EQ(run.look_again([&](const Assignment& a) {
    partners.push_back(a.places[0] == "n3" ? a.places[1] : a.places[0]);
    return 0.7e9;
  }),
            3u);
  EXPECT_EQ(partners[0], "n15");
  EXPECT_EQ(partners[1], "n16");
  const auto found = run.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].verdict, Verdict::fail);
  EXPECT_EQ(found[0].culprits, std::vector<std::string>{"n3"});
}

TEST(EqualPlaces, ASlowLinkIsOnePartAndNeitherOfItsNodes) {
  MadeRun run(16);
  run.add_pairs([](int a, int b) { return a == 3 && b == 7 ? 0.5 : 1.0; });
  EXPECT_EQ(run.look_again([](const Assignment& a) {
    EXPECT_EQ(a.places, (std::vector<std::string>{"n3", "n7"}));
    return 0.5e9;
  }),
            1u);
  const auto found = run.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].culprits, std::vector<std::string>{"link n3 - n7"});
}

}  // namespace
}  // namespace acceptance
