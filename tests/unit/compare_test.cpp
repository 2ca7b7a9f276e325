#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "reports/compare/changes.h"
#include "reports/compare/comparison.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

const Metric rate{"rate", Unit::bytes_per_second, Better::higher, ""};
const Metric latency{"latency", Unit::seconds, Better::lower, ""};

/// A run of a cluster whose nodes differ by 1 %, its noise from repetition to repetition 1 %.
struct Made {
  RunFiles files = run_of({test_of("s.rate", {rate}), test_of("s.latency", {latency})}, {}, {}, {});
  std::mt19937_64 random;
  std::normal_distribution<double> normal;

  Made(
      int nodes, int repetitions, std::uint64_t seed,
      const std::function<double(int node)>& share = [](int) { return 1.0; })
      : random(seed) {
    files.run["request"] = {{"repeat", repetitions}, {"profile", "quick"}};
    std::mt19937_64 cluster(7);
    std::normal_distribution<double> between;  // one keeps half of what it drew
    for (int n = 0; n < nodes; ++n) {
      files.nodes.push_back(node_of(fmt::format("n{:02}", n)));
      const double own = share(n) * (1 + 0.01 * between(cluster));
      for (int r = 1; r <= repetitions; ++r)
        for (const char* test : {"s.rate", "s.latency"})
          add(test, {files.nodes.back().name}, r, own);
    }
  }
  void add(const std::string& test, std::vector<std::string> places, int attempt, double share) {
    Assignment a = assignment_of(test, std::move(places));
    a.attempt = attempt;
    Record r = record_of(a, Outcome::ok);
    const double speed = share * (1 + 0.01 * normal(random));
    const bool lower = test == "s.latency";
    Samples samples;
    for (int i = 0; i < 8; ++i) {
      const double noisy = speed * (1 + 0.005 * normal(random));
      samples.add(lower ? 2e-6 / noisy : 40e9 * noisy);
    }
    r.measurements.push_back(
        {lower ? "latency" : "rate", lower ? Unit::seconds : Unit::bytes_per_second, samples});
    files.plan.push_back(a);
    files.records.push_back(std::move(r));
  }
};

std::string moves(const RunFiles& before, const RunFiles& after) {
  std::string out;
  for (const ChangedGroup& g : changes(before, after)) {
    if (g.common.move != Move::unchanged)
      out += fmt::format("{} all {}; ", g.metric, name(g.common.move));
    for (const Change& c : g.places)
      if (c.move == Move::regressed || c.move == Move::improved)
        out += fmt::format("{} {} {}; ", g.metric, fmt::join(c.where, "-"), name(c.move));
  }
  return out;
}

TEST(Compare, TheSameClusterTwiceHasNotChanged) {
  int reported = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    for (const ChangedGroup& g :
         changes(Made(32, 3, 2 * seed).files, Made(32, 3, 2 * seed + 1).files)) {
      reported += g.common.move == Move::regressed;
      for (const Change& c : g.places) reported += c.move == Move::regressed;
    }
  EXPECT_LE(reported, 2);
}

TEST(Compare, WhatAllDidIsToldApartFromWhatOneDid) {
  int found = 0;
  constexpr int runs = 100;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const Made before(32, 3, 2 * seed);
    const Made after(32, 3, 2 * seed + 1, [](int n) { return 0.97 * (n == 5 ? 0.92 : 1); });
    bool common = false, one = false, others = false;
    for (const ChangedGroup& g : changes(before.files, after.files)) {
      if (g.metric != "rate") continue;
      common = g.common.move == Move::regressed;
      for (const Change& c : g.places)
        if (c.move == Move::regressed) (c.where[0] == "n05" ? one : others) = true;
    }
    found += common && one && !others;
  }
  EXPECT_GE(found, 99);
}

TEST(Compare, BetterIsNotWorse) {
  EXPECT_EQ(moves(Made(32, 3, 1).files, Made(32, 3, 2, [](int) { return 1.2; }).files),
            "latency all improved; rate all improved; ");
  EXPECT_EQ(moves(Made(32, 3, 1, [](int) { return 1.2; }).files, Made(32, 3, 2).files),
            "latency all regressed; rate all regressed; ");
}

TEST(Compare, OneRepetitionTellsOnlyWhatIsLarge) {
  EXPECT_EQ(moves(Made(4, 1, 1).files, Made(4, 1, 2, [](int) { return 0.9; }).files),
            "latency all can't tell; rate all can't tell; ");
  EXPECT_EQ(moves(Made(4, 1, 1).files, Made(4, 1, 2, [](int) { return 0.5; }).files),
            "latency all regressed; rate all regressed; ");
  EXPECT_EQ(
      moves(Made(1, 3, 1).files, Made(1, 3, 2, [](int) { return 0.5; }).files),
      "latency all regressed; latency n00 regressed; rate all regressed; rate n00 regressed; ");
}

/// Pairs of nodes at 1 % noise from run to run.
RunFiles pairs(std::uint64_t seed, const std::function<double(int, int)>& share) {
  Made made(0, 3, seed);
  for (int n = 0; n < 12; ++n) made.files.nodes.push_back(node_of(fmt::format("n{:02}", n)));
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b)
      for (int r = 1; r <= 3; ++r)
        made.add("s.rate",
                 {made.files.nodes[static_cast<std::size_t>(a)].name,
                  made.files.nodes[static_cast<std::size_t>(b)].name},
                 r, share(a, b));
  return made.files;
}

TEST(Compare, OfPairsTheNodeIsToldOnceOrTheOneLink) {
  const auto same = [](int, int) { return 1.0; };
  EXPECT_EQ(moves(pairs(1, same), pairs(2, same)), "");
  EXPECT_EQ(
      moves(pairs(1, same), pairs(2, [](int a, int b) { return a == 4 || b == 4 ? 0.8 : 1; })),
      "rate n04 regressed; ");
  EXPECT_EQ(
      moves(pairs(1, same), pairs(2, [](int a, int b) { return a == 4 && b == 7 ? 0.8 : 1; })),
      "rate n04-n07 regressed; ");
}

TEST(Compare, WhatNoLongerWorksAndWhatIsMissing) {
  const Made before(4, 3, 1);
  Made after(4, 3, 2);
  EXPECT_EQ(make_comparison(before.files, after.files).at("verdict"), "NO REGRESSION");
  const RunFiles whole = after.files;
  for (Record& r : after.files.records)
    if (r.assignment.places[0] == "n02" && r.assignment.attempt == 2 &&
        r.assignment.test == "s.rate") {
      r.outcome = Outcome::failed;
      r.reason = "wrong result";
    }
  Json c = make_comparison(before.files, after.files);
  EXPECT_EQ(c.at("verdict"), "REGRESSED") << "one of three times is enough";
  EXPECT_EQ(c.at("outcomes")[0].at("where")[0], "n02");
  EXPECT_EQ(make_comparison(after.files, before.files).at("verdict"), "NO REGRESSION") << "mended";

  after.files = whole;
  const auto of_n03 = [](const auto& a) { return a.places[0] == "n03"; };
  std::erase_if(after.files.plan, of_n03);
  std::erase_if(after.files.records, [&](const Record& r) { return of_n03(r.assignment); });
  after.files.nodes.pop_back();
  c = make_comparison(before.files, after.files);
  EXPECT_EQ(c.at("verdict"), "INCOMPLETE") << "a node that is gone is not a pass";
  EXPECT_EQ(c.at("not_compared")[0].at("why"), "nodes took no part after");
  c = make_comparison(after.files, before.files);
  EXPECT_EQ(c.at("verdict"), "NO REGRESSION")
      << dump(c.at("figures")) << dump(c.at("not_compared"));
}

TEST(Compare, NothingIsComparedSilentlyThatIsNotTheSame) {
  const Made before(4, 3, 1);
  Made after(4, 3, 2);
  for (acceptance::Test& t : after.files.tests)
    if (t.name == "s.rate") t.version = 2;
  for (Assignment& a : after.files.plan)
    if (a.test == "s.rate") a.version = 2;
  for (Record& r : after.files.records)
    if (r.assignment.test == "s.rate") r.assignment.version = 2;
  const Json c = make_comparison(before.files, after.files);
  EXPECT_EQ(c.at("verdict"), "INCOMPLETE");
  EXPECT_EQ(c.at("not_compared")[0].at("why"), "the two runs have different versions of the test");
  EXPECT_EQ(c.at("figures").size(), 1u);
  after.files.run["simulated"] = true;
  EXPECT_THROW(make_comparison(before.files, after.files), std::invalid_argument);
}

TEST(Compare, TheInventoryOfWhatMovedIsBesideIt) {
  Made before(32, 3, 1), after(32, 3, 2, [](int n) { return n < 4 ? 0.85 : 1.0; });
  for (std::size_t n = 0; n < 32; ++n) {
    before.files.nodes[n].system["bios_version"] = "1.0";
    after.files.nodes[n].system["bios_version"] = n < 4 ? "1.1" : "1.0";
    after.files.nodes[n].system["product_serial"] = "changed";
  }
  const Json c = make_comparison(before.files, after.files);
  ASSERT_EQ(c.at("inventory").size(), 1u) << dump(c.at("inventory"));
  EXPECT_EQ(c.at("inventory")[0].at("regressed"), 4);
  EXPECT_LT(c.at("inventory")[0].at("odds").get<double>(), 1e-4);
  for (const char* format : {"json", "md", "html"}) {
    const std::string text = write_comparison(c, format);
    EXPECT_PRED2(contains, text, "REGRESSED");
    EXPECT_EQ(text.find("nan"), std::string::npos);
  }
  EXPECT_THROW(write_comparison(c, "pdf"), std::invalid_argument);
}

}  // namespace
}  // namespace acceptance
