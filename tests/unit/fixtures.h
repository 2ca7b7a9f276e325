#pragma once
#include "reports/run_files.h"
#include "suites/core/record.h"

namespace acceptance {

/// For EXPECT_PRED2: prints both when the part isn't there.
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline Assignment assignment_of(std::string test, std::vector<std::string> places,
                                Point point = {}) {
  Assignment a;
  a.test = std::move(test);
  a.places = std::move(places);
  a.point = std::move(point);
  a.run = "tag";
  return a;
}

inline Record record_of(const Assignment& a, Outcome outcome, std::string reason = "") {
  Record r;
  r.assignment = a;
  r.outcome = outcome;
  r.reason = std::move(reason);
  r.started = "2026-01-31T09:30:00Z";
  r.seconds = 1;
  return r;
}

inline Node node_of(std::string name, std::string boot_id = "boot") {
  Node n;
  n.name = std::move(name);
  n.boot_id = std::move(boot_id);
  n.cpu.model = "A CPU";
  n.cpu.cores = 4;
  n.cpu.usable = {0, 1, 2, 3};
  return n;
}

inline Test test_of(std::string name, std::vector<Metric> metrics) {
  Test t;
  t.name = std::move(name);
  t.about = "about it";
  t.formula = "a / b";
  t.scopes = {Scope::node};
  t.metrics = std::move(metrics);
  return t;
}

/// A run as a folder would hold it, without figures yet.
inline RunFiles run_of(std::vector<Test> tests, std::vector<Node> nodes,
                       std::vector<Assignment> plan, std::vector<Record> records) {
  RunFiles f;
  f.folder = "/nonexistent";
  f.run = {{"format", "accept.run/1"},
           {"version", "0"},
           {"build", "b"},
           {"tag", "tag"},
           {"cluster", "c"},
           {"simulated", false},
           {"arguments", Json::array()},
           {"tests", tests},
           {"sessions", {{{"started", "2026-01-31T09:30:00Z"}, {"seconds", 10.0}}}}};
  f.tests = std::move(tests);
  f.nodes = std::move(nodes);
  f.plan = std::move(plan);
  f.records = std::move(records);
  return f;
}

}  // namespace acceptance
