#include "suites/core/sequential.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "reports/verdict/continued.h"
#include "reports/verdict/judge.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

/// Values that are skew, around a median of 1.
double value(std::mt19937_64& random) {
  return std::exp(0.02 * std::normal_distribution<double>()(random));
}

TEST(Sequential, TheMedianIsSeldomOutsideHoweverOftenOneLooks) {
  std::mt19937_64 random(1);
  int anytime = 0, fixed = 0;
  constexpr int runs = 400, looks = 300;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> values;
    bool out_of_anytime = false, out_of_fixed = false;
    for (int i = 0; i < looks; ++i) {
      values.push_back(value(random));
      if (const auto a = anytime_median_interval(values))
        out_of_anytime = out_of_anytime || a->low > 1 || a->high < 1;
      if (const auto f = median_interval(values))
        out_of_fixed = out_of_fixed || f->low > 1 || f->high < 1;
    }
    anytime += out_of_anytime;
    fixed += out_of_fixed;
  }
  EXPECT_LE(anytime, runs / 20);
  EXPECT_GT(fixed, runs / 5) << "which is why a fixed interval must not be looked at again";
}

TEST(Sequential, DecidesAndSaysHowMuchMoreWould) {
  EXPECT_FALSE(anytime_median_interval(std::vector<double>(6, 1.0)));
  EXPECT_TRUE(anytime_median_interval(std::vector<double>(7, 1.0)));
  std::mt19937_64 random(2);
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(value(random));
  EXPECT_EQ(decide(values, 0.8), Decision::above);
  EXPECT_EQ(decide(values, 1.2), Decision::below);
  EXPECT_EQ(decide(values, 1.0), Decision::open);
  EXPECT_EQ(enough_to_decide(values, 0.8, 1000), values.size());
  EXPECT_FALSE(enough_to_decide(std::vector<double>{1, 3, 1, 3, 1, 3}, 2, 1000))
      << "half on either side: nothing decides";
}

/// One place at a floor, by so many attempts of eight samples.
struct AtTheFloor {
  RunFiles files =
      run_of({test_of("compute.made_up", {{"rate", Unit::bytes_per_second, Better::higher, ""}})},
             {node_of("n1")}, {}, {});
  std::mt19937_64 random{3};

  void measure(int attempt, double level) {
    Assignment a = assignment_of("compute.made_up", {"n1"});
    a.attempt = attempt;
    Record r = record_of(a, Outcome::ok);
    Samples samples;
    for (int i = 0; i < 8; ++i) samples.add(level * value(random));
    r.measurements.push_back({"rate", Unit::bytes_per_second, samples});
    files.plan.push_back(a);
    files.records.push_back(std::move(r));
  }
  std::vector<Finding> judged(double floor) const {
    std::vector<Finding> findings = judge(files);
    for (Finding& f : findings) {
      f.reference = Reference{};
      f.reference->floor = floor;
      f.verdict = *f.measured->low > floor    ? Verdict::pass
                  : *f.measured->high < floor ? Verdict::fail
                                              : Verdict::inconclusive;
    }
    return findings;
  }
};

TEST(Continued, WhatIsUndecidedIsMeasuredOnUntilItIsDecidedOrTheBudgetIsSpent) {
  AtTheFloor run;
  run.measure(1, 1.015);
  int attempts = 1;
  for (;; ++attempts) {
    const auto more = to_continue(run.files, run.judged(1));
    if (more.empty()) break;
    ASSERT_EQ(more.size(), 1u);
    EXPECT_EQ(more[0].attempt, attempts + 1);
    run.measure(attempts + 1, 1.015);
  }
  EXPECT_LE(attempts, 1 + most_continuations);
  std::vector<Finding> findings = run.judged(1);
  judge_continued(run.files, findings);
  for (const Finding& f : findings) EXPECT_NE(f.verdict, Verdict::fail);
}

TEST(Continued, AllSamplesTogetherDecideAndElseItIsSaidHowManyWould) {
  AtTheFloor run;
  for (int attempt = 1; attempt <= 4; ++attempt) run.measure(attempt, 1.03);
  std::vector<Finding> findings = run.judged(1);
  for (Finding& f : findings) f.verdict = Verdict::inconclusive, f.measured->low = 0.99;
  judge_continued(run.files, findings);
  EXPECT_EQ(findings[0].verdict, Verdict::pass);
  EXPECT_PRED2(contains, findings[0].reason, "all 32 samples of 4 measurements together");

  AtTheFloor bad;
  bad.measure(1, 0.97), bad.measure(2, 0.97);
  findings = bad.judged(1);
  for (Finding& f : findings) f.verdict = Verdict::inconclusive, f.measured->high = 1.01;
  judge_continued(bad.files, findings);
  EXPECT_EQ(findings[0].verdict, Verdict::fail);
  EXPECT_EQ(findings[0].culprits, std::vector<std::string>{"n1"});

  AtTheFloor open;
  open.measure(1, 1.01);
  findings = open.judged(1);
  findings[0].verdict = Verdict::inconclusive, findings[0].measured->low = 0.99;
  judge_continued(open.files, findings);
  EXPECT_EQ(findings[0].verdict, Verdict::inconclusive);
  EXPECT_PRED2(contains, findings[0].remedy, "samples would decide");
}

TEST(Continued, WhatCouldNotBeMeasuredOnIsNotAskedForAgain) {
  AtTheFloor run;
  run.measure(1, 1.01);
  Assignment a = assignment_of("compute.made_up", {"n1"});
  a.attempt = 2;
  run.files.plan.push_back(a);
  run.files.records.push_back(record_of(a, Outcome::error, "it crashed"));
  auto findings = run.judged(1);
  EXPECT_TRUE(to_continue(run.files, findings).empty());
}

}  // namespace
}  // namespace acceptance
