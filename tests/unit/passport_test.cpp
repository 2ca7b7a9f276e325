#include "reports/passport/passport.h"

#include <gtest/gtest.h>

#include "reports/cluster/cluster_file.h"
#include "reports/passport/view.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

RunFiles a_run(const std::string& node, const std::string& reason) {
  const Assignment good = assignment_of("s.good", {node}), bad = assignment_of("s.bad", {node});
  Record ok = record_of(good, Outcome::ok);
  ok.measurements = {{"rate", Unit::bytes_per_second,
                      Samples(std::vector<double>{1e9, 1e9, 2e9, 2e9, 2e9, 3e9, 3e9})}};
  const Metric rate{"rate", Unit::bytes_per_second, Better::higher, "bytes a second"};
  return run_of({test_of("s.good", {rate}), test_of("s.bad", {rate})}, {node_of(node)}, {good, bad},
                {ok, record_of(bad, Outcome::failed, reason)});
}

TEST(Passport, SaysWhatFailedWhereAndWhatToDo) {
  const Json p = make_passport(a_run("n7", "wrong bytes"), "b", false);
  EXPECT_EQ(p.at("format"), "accept.passport/1");
  EXPECT_EQ(p.at("verdict"), "REJECTED");
  EXPECT_EQ(p.at("culprits").at(0).at("place"), "n7");
  EXPECT_EQ(p.at("findings").at(0).at("verdict"), "fail") << "worst first";
  EXPECT_NE(p.at("findings").at(0).at("remedy"), "");
  EXPECT_DOUBLE_EQ(p.at("coverage").at("body_share").get<double>(), 0.1);
  for (const char* format : {"md", "html"}) {
    const std::string text = write_passport(p, format);
    for (const char* part : {"REJECTED", "wrong bytes", "n7", "2 GB/s", "a / b"})
      EXPECT_NE(text.find(part), std::string::npos) << format << " lacks " << part;
  }
  EXPECT_THROW(write_passport(p, "pdff"), std::invalid_argument);
}

TEST(Passport, SaysWhichPairsWereMeasuredWithinALeaf) {
  std::vector<Assignment> plan;
  std::vector<Record> records;
  for (const auto& [a, b] : {std::pair{"n1", "n2"}, {"n1", "n3"}}) {
    plan.push_back(assignment_of("s.pair", {a, b}));
    records.push_back(record_of(plan.back(), Outcome::ok));
  }
  RunFiles files =
      run_of({test_of("s.pair", {})}, {node_of("n1"), node_of("n2"), node_of("n3"), node_of("n4")},
             plan, records);
  EXPECT_EQ(pairs_sentence(make_passport(files, "b", false)),
            "2 of 6 pairs of nodes were measured.");
  files.records.push_back(record_of(assignment_of(probe_test, {"n5"}), Outcome::error, "gone"));
  EXPECT_EQ(pairs_sentence(make_passport(files, "b", false)),
            "2 of 10 pairs of nodes were measured.")
      << "a node that could not be asked has pairs too";
  files.records.pop_back();
  files.promise.cluster = parse_cluster(
      "{format: accept.cluster/1, name: c, groups: {g: {nodes: 'n[1-4]'}}, fabric: {leaves: "
      "{leaf1: "
      "'n[1-2]', leaf2: 'n[3-4]'}}}",
      "c", builtin_catalogue());
  EXPECT_EQ(pairs_sentence(make_passport(files, "b", false)),
            "2 of 6 pairs of nodes were measured (1 of 2 within a leaf).");
}

// Names and texts come from nodes and libraries: none may become markup.
TEST(Passport, HostileTextStaysText) {
  const std::string evil = "<script>alert(1)</script>\"'&|`*_";
  const Json p = make_passport(a_run(evil, evil + "\n# heading\x1b[31m"), "b", false);
  const std::string html = write_html(p);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
  const std::string md = write_markdown(p);
  EXPECT_EQ(md.find("\n# heading"), std::string::npos);
  EXPECT_EQ(md.find(" <script"), std::string::npos);
}

TEST(Passport, IsSelfContained) {
  const std::string html = write_html(make_passport(a_run("n", "x"), "b", false));
  for (const char* outside : {"http://", "https://", "<link", "<img", "url(", "@import"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
}

TEST(Passport, SimulatedIsStamped) {
  RunFiles files = a_run("n", "x");
  files.run["simulated"] = true;
  const Json p = make_passport(files, "b", false);
  EXPECT_NE(write_html(p).find("SIMULATED"), std::string::npos);
  EXPECT_NE(write_markdown(p).find("SIMULATED"), std::string::npos);
}

TEST(Passport, AResumedRunDoesNotClaimAShare) {
  RunFiles files = a_run("n", "x");
  files.run["sessions"].push_back({{"started", "2026-01-31T10:30:00Z"}});
  EXPECT_TRUE(make_passport(files, "b", false).at("coverage").at("body_share").is_null());
}

TEST(View, IntervalsNameASharedUnitOnce) {
  EXPECT_EQ(interval_text({{"low", 1e9}, {"high", 2e9}}, "B/s"), "1 to 2 GB/s");
  EXPECT_EQ(interval_text({{"low", 1e6}, {"high", 2e9}}, "B/s"), "1 MB/s to 2 GB/s");
  EXPECT_EQ(interval_text({{"low", nullptr}, {"high", nullptr}}, "B/s"), "too few samples");
}

}  // namespace
}  // namespace acceptance
