#include "reports/verdict/judge.h"

#include <gtest/gtest.h>

#include "reports/verdict/absolute.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

Measured figure(double low, double value, double high) {
  return {value, low, high, Unit::bytes_per_second, 20};
}
std::optional<Reference> limits(std::optional<double> floor, std::optional<double> ceiling) {
  return Reference{floor, {}, ceiling, "d", "s", "run"};
}

TEST(JudgeFigure, HigherIsBetter) {
  const auto judged = [](const Measured& m, const std::optional<Reference>& r) {
    return judge_figure(m, r, Better::higher).verdict;
  };
  EXPECT_EQ(judged(figure(9, 10, 11), std::nullopt), Verdict::measured);
  EXPECT_EQ(judged(figure(9, 10, 11), limits({}, 20)), Verdict::measured);
  EXPECT_EQ(judged(figure(9, 10, 11), limits(8, 20)), Verdict::pass);
  EXPECT_EQ(judged(figure(9, 10, 11), limits(9, 20)), Verdict::pass);
  EXPECT_EQ(judged(figure(9, 10, 11), limits(9.5, 20)), Verdict::inconclusive);
  EXPECT_EQ(judged(figure(9, 10, 11), limits(12, 20)), Verdict::fail);
  EXPECT_EQ(judged(figure(9, 10, 11), limits(1, 9.9)), Verdict::inconclusive)
      << "above the ceiling is no triumph";
}

TEST(JudgeFigure, LowerIsBetter) {
  const auto judged = [](const std::optional<Reference>& r) {
    return judge_figure(figure(9, 10, 11), r, Better::lower).verdict;
  };
  EXPECT_EQ(judged(limits(12, {})), Verdict::pass);
  EXPECT_EQ(judged(limits(10.5, {})), Verdict::inconclusive);
  EXPECT_EQ(judged(limits(8, {})), Verdict::fail);
  EXPECT_EQ(judged(limits(12, 10.1)), Verdict::inconclusive) << "quicker than possible";
}

TEST(JudgeFigure, TooFewSamplesNeverPass) {
  Measured m = figure(0, 10, 0);
  m.low = m.high = std::nullopt;
  EXPECT_EQ(judge_figure(m, limits(5, {}), Better::higher).verdict, Verdict::inconclusive);
}

TEST(JudgeOutcome, TheTable) {
  EXPECT_EQ(judge_outcome(Outcome::failed, true), Verdict::fail);
  EXPECT_EQ(judge_outcome(Outcome::failed, false), Verdict::fail);
  EXPECT_EQ(judge_outcome(Outcome::skipped, true), Verdict::not_run);
  EXPECT_EQ(judge_outcome(Outcome::skipped, false), Verdict::not_applicable);
  EXPECT_EQ(judge_outcome(Outcome::interrupted, true), Verdict::not_run);
  EXPECT_EQ(judge_outcome(Outcome::timed_out, true), Verdict::inconclusive);
  EXPECT_EQ(judge_outcome(Outcome::error, true), Verdict::inconclusive);
}

Finding finding(Verdict v, bool required = true) {
  Finding f;
  f.verdict = v;
  f.required = required;
  return f;
}

TEST(Overall, FailsClosed) {
  EXPECT_EQ(overall({}), "INCOMPLETE");
  EXPECT_EQ(overall({finding(Verdict::measured)}), "ACCEPTED");
  EXPECT_EQ(overall({finding(Verdict::measured), finding(Verdict::remark)}),
            "ACCEPTED WITH REMARKS");
  EXPECT_EQ(overall({finding(Verdict::pass), finding(Verdict::not_run)}), "INCOMPLETE");
  EXPECT_EQ(overall({finding(Verdict::pass), finding(Verdict::not_run, false)}),
            "ACCEPTED WITH REMARKS");
  EXPECT_EQ(overall({finding(Verdict::pass), finding(Verdict::inconclusive)}), "INCOMPLETE");
  EXPECT_EQ(overall({finding(Verdict::not_run), finding(Verdict::fail)}), "REJECTED")
      << "a fail outranks";
  EXPECT_EQ(overall({finding(Verdict::not_applicable), finding(Verdict::remark)}), "INCOMPLETE")
      << "nothing was measured";
}

TEST(ExitStatus, FollowsTheVerdict) {
  EXPECT_EQ(exit_status("ACCEPTED"), 0);
  EXPECT_EQ(exit_status("ACCEPTED WITH REMARKS"), 0);
  EXPECT_EQ(exit_status("REJECTED"), 1);
  EXPECT_EQ(exit_status("INCOMPLETE"), 2);
  EXPECT_EQ(exit_status(""), 2);
}

const Metric rate{"rate", Unit::bytes_per_second, Better::higher, ""};

TEST(Judge, EveryPlannedAssignmentGetsAFinding) {
  const Assignment done = assignment_of("s.a", {"n"}), lost = assignment_of("s.b", {"n"}),
                   skipped = assignment_of("s.c", {"n"}), wrong = assignment_of("s.d", {"n"});
  Record ok = record_of(done, Outcome::ok);
  ok.measurements = {{"rate", Unit::bytes_per_second, Samples(std::vector<double>(8, 5.0))}};
  const auto findings = judge(run_of({test_of("s.a", {rate}), test_of("s.b", {rate}),
                                      test_of("s.c", {rate}), test_of("s.d", {rate})},
                                     {node_of("n")}, {done, lost, skipped, wrong},
                                     {ok, record_of(skipped, Outcome::skipped, "no disk"),
                                      record_of(wrong, Outcome::failed, "wrong bytes")}));
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].verdict, Verdict::measured);
  EXPECT_DOUBLE_EQ(findings[0].measured->value, 5);
  EXPECT_EQ(findings[1].verdict, Verdict::not_run);
  EXPECT_NE(findings[1].reason, "");
  EXPECT_EQ(findings[2].verdict, Verdict::not_run);
  EXPECT_EQ(findings[2].reason, "no disk");
  EXPECT_EQ(findings[3].verdict, Verdict::fail);
  EXPECT_EQ(findings[3].culprits, std::vector<std::string>{"n"});
}

TEST(Judge, AnOkWithoutItsFigureIsNotAPass) {
  const Assignment a = assignment_of("s.a", {"n"});
  const auto findings =
      judge(run_of({test_of("s.a", {rate})}, {node_of("n")}, {a}, {record_of(a, Outcome::ok)}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].verdict, Verdict::not_run);
}

TEST(Judge, RecordsThatContradictEachOtherAreNotBelieved) {
  const Assignment a = assignment_of("s.a", {"n"});
  Record ok = record_of(a, Outcome::ok);
  ok.measurements = {{"rate", Unit::bytes_per_second, Samples(std::vector<double>(8, 5.0))}};
  const auto verdict = [&](std::vector<Record> records) {
    const auto findings =
        judge(run_of({test_of("s.a", {rate})}, {node_of("n")}, {a}, std::move(records)));
    EXPECT_EQ(findings.size(), 1u);
    return findings[0].verdict;
  };
  EXPECT_EQ(verdict({record_of(a, Outcome::failed, "wrong"), ok}), Verdict::inconclusive);
  ok.measurements[0].unit = Unit::seconds;
  EXPECT_EQ(verdict({ok}), Verdict::not_run)
      << "a figure in another unit is no figure of this metric";
}

TEST(Judge, WhatWasChosenButNeverPlannedIsNotRun) {
  const Assignment a = assignment_of("s.a", {"n"});
  Record ok = record_of(a, Outcome::ok);
  ok.measurements = {{"rate", Unit::bytes_per_second, Samples(std::vector<double>(8, 5.0))}};
  const auto findings = judge(run_of({test_of("s.a", {rate}), test_of("s.b", {rate})},
                                     {node_of("n"), node_of("m")}, {a}, {ok}));
  EXPECT_EQ(overall(findings), "INCOMPLETE");
  EXPECT_EQ(findings.size(), 3u) << "one for the figure, one for s.b, one for node m";
}

TEST(Judge, TheLastRecordOfAnAssignmentCounts) {
  const Assignment a = assignment_of("s.a", {"n"});
  Record ok = record_of(a, Outcome::ok);
  ok.measurements = {{"rate", Unit::bytes_per_second, Samples(std::vector<double>(8, 5.0))}};
  const auto findings = judge(run_of({test_of("s.a", {rate})}, {node_of("n")}, {a},
                                     {record_of(a, Outcome::interrupted, "torn along"), ok}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].verdict, Verdict::measured);
}

TEST(Consistency, ANoisyMachineIsCalledOne) {
  const Assignment a = assignment_of("compute.x", {"n"});
  Record ok = record_of(a, Outcome::ok);
  ok.measurements = {
      {"rate", Unit::bytes_per_second, Samples(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8})}};
  RunFiles files = run_of({test_of("compute.x", {rate})}, {node_of("n")}, {a}, {ok});
  EXPECT_EQ(judge_consistency(files, judge(files)).size(), 1u);
  files.records[0].measurements[0].samples = Samples(std::vector<double>(8, 3.0));
  EXPECT_TRUE(judge_consistency(files, judge(files)).empty());
  files.records[0].observations = {{"cpu time stolen by the hypervisor", "", 0.2, Unit::ratio}};
  EXPECT_EQ(judge_consistency(files, judge(files)).size(), 1u);
  Assignment again = a;
  again.attempt = 2;
  files.records[0].observations.clear();
  files.plan.push_back(again);
  Record other = files.records[0];
  other.assignment = again;
  other.measurements[0].samples = Samples(std::vector<double>(8, 3.2));
  files.records.push_back(other);
  EXPECT_EQ(judge_consistency(files, judge(files)).size(), 1u) << "two attempts 7 % apart";
}

// Whatever became of asking a node, and whoever is or isn't to blame: a node that was not asked is
// never part of an accepted cluster.
TEST(Judge, ANodeThatCouldNotBeAskedIsNeverForgotten) {
  const auto test = test_of("s.t", {{"m", Unit::count, Better::higher, "about"}});
  const Assignment done = assignment_of("s.t", {"n1"});
  Record good = record_of(done, Outcome::ok);
  good.measurements = {{"m", Unit::count, Samples(std::vector<double>(8, 1.0))}};
  for (const Outcome outcome : {Outcome::skipped, Outcome::failed, Outcome::timed_out,
                                Outcome::interrupted, Outcome::error})
    for (int trouble = 0; trouble <= static_cast<int>(Trouble::set_apart); ++trouble)
      for (const bool blamed : {true, false}) {
        Record bad = record_of(assignment_of(probe_test, {"n2"}), outcome, "no answer");
        bad.trouble = static_cast<Trouble>(trouble);
        if (blamed) bad.culprits = {"n2"};
        const auto findings = judge(run_of({test}, {node_of("n1")}, {done}, {bad, good}));
        EXPECT_EQ(overall(findings), "INCOMPLETE");
        const auto it = std::find_if(findings.begin(), findings.end(),
                                     [](const Finding& f) { return f.test == probe_test; });
        ASSERT_NE(it, findings.end());
        EXPECT_EQ(it->culprits, std::vector<std::string>{"n2"});
      }
}

// Trouble between assignments: a remark where everything was measured after all, else not run; and
// a process that can't be killed is an open question.
TEST(Judge, TroubleOfProcessesIsToldByWhatItCost) {
  const auto test = test_of("s.t", {{"m", Unit::count, Better::higher, "about"}});
  const Assignment done = assignment_of("s.t", {"n1"}), undone = assignment_of("s.t", {"n2"});
  Record good = record_of(done, Outcome::ok);
  good.measurements = {{"m", Unit::count, Samples(std::vector<double>(8, 1.0))}};
  const auto verdict_of = [&](const char* what, const char* culprit) {
    Record bad = record_of(assignment_of(what, {"n1", "n2"}), Outcome::error, "killed");
    bad.culprits = {culprit};
    const auto all =
        judge(run_of({test}, {node_of("n1"), node_of("n2")}, {done, undone}, {bad, good}));
    const auto it = std::find_if(all.begin(), all.end(), [&](auto& f) { return f.test == what; });
    return it == all.end() ? Verdict::measured : it->verdict;
  };
  EXPECT_EQ(verdict_of(process_test, "n1"), Verdict::remark);
  EXPECT_EQ(verdict_of(process_test, "n2"), Verdict::not_run);
  EXPECT_EQ(verdict_of(launch_test, "n1 rank 1"), Verdict::remark);
  EXPECT_EQ(verdict_of(sweep_test, "n1"), Verdict::inconclusive);
}

}  // namespace
}  // namespace acceptance
