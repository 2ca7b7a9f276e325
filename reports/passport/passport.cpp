#include "reports/passport/passport.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/verdict/absolute.h"
#include "reports/verdict/collectives.h"
#include "reports/verdict/continued.h"
#include "reports/verdict/equal_places.h"
#include "reports/verdict/judge.h"
#include "reports/verdict/preflight.h"
#include "reports/verdict/rules.h"
#include "suites/core/node_set.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

/// Seconds in which at least one body ran.
double busy_seconds(const std::vector<Record>& records) {
  std::vector<std::pair<double, double>> spans;
  for (const Record& r : records) spans.emplace_back(r.start_offset, r.start_offset + r.seconds);
  std::sort(spans.begin(), spans.end());
  double busy = 0, until = 0;
  for (const auto& [begin, end] : spans) {
    busy += std::max(0.0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return busy;
}

/// Pairs of different nodes that have a figure, and of those with both on one promised leaf.
Json pairs_measured(const RunFiles& files) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Record& r : files.records)
    if (r.outcome == Outcome::ok && r.assignment.places.size() == 2 &&
        r.assignment.places[0] != r.assignment.places[1])
      pairs.insert(std::minmax(r.assignment.places[0], r.assignment.places[1]));
  std::set<std::string> nodes;  // those that could not be asked count too
  for (const Node& node : files.nodes) nodes.insert(node.name);
  for (const Record& r : files.records)
    if (r.assignment.test == probe_test) nodes.insert(r.assignment.places.at(0));
  const std::size_t n = nodes.size();
  Json found{{"measured", pairs.size()},
             {"possible", n == 0 ? 0 : n * (n - 1) / 2},
             {"within_leaves", nullptr}};
  const Cluster* c = files.promise.promised();
  if (!c || c->fabric.leaves.empty()) return found;
  std::map<std::string, std::size_t> sizes;
  for (const std::string& node : nodes)
    if (const std::string leaf = leaf_of(*c, node); !leaf.empty()) ++sizes[leaf];
  std::size_t possible = 0;
  for (const auto& [leaf, size] : sizes) possible += size * (size - 1) / 2;
  const auto within = std::count_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
    const std::string leaf = leaf_of(*c, pair.first);
    return !leaf.empty() && leaf == leaf_of(*c, pair.second);
  });
  found["within_leaves"] = {{"measured", within}, {"possible", possible}};
  return found;
}

Json coverage(const RunFiles& files, const std::vector<Finding>& findings) {
  std::map<std::string, int> outcomes;
  std::map<std::string, Outcome> last;
  for (const Record& r : files.records) last[r.assignment.id()] = r.outcome;
  for (const Assignment& a : files.plan) {
    const auto it = last.find(a.id());
    ++outcomes[it == last.end() ? "missing" : std::string(name(it->second))];
  }
  std::map<std::string, int> verdicts;
  for (const Finding& f : findings) ++verdicts[std::string(name(f.verdict))];
  Json c{{"assignments", files.plan.size()}, {"outcomes", outcomes}, {"verdicts", verdicts},
         {"pairs", pairs_measured(files)},   {"seconds", nullptr},   {"body_share", nullptr}};
  // Only an uninterrupted run knows how long it took as a whole.
  const Json& sessions = files.run.at("sessions");
  if (sessions.size() == 1 && sessions[0].contains("seconds")) {
    const double seconds = sessions[0].at("seconds").get<double>();
    c["seconds"] = seconds;
    if (seconds > 0) c["body_share"] = std::min(1.0, busy_seconds(files.records) / seconds);
  }
  return c;
}

/// Whether what it is held against is what the run took along, by the digests it wrote down.
bool runs_own(const RunFiles& files) {
  return files.run.value("promise", Json::object()) == Json(files.promise.digests);
}

Json provenance(const RunFiles& files, const std::string& judged_by, bool rejudged) {
  Json p{{"version", files.run.at("version")},
         {"build", files.run.at("build")},
         {"judged_by", judged_by},
         {"rejudged", rejudged},
         {"arguments", files.run.at("arguments")},
         {"run", files.run.at("tag")},
         {"sessions", files.run.at("sessions")},
         {"digests", Json::object()}};
  for (const char* file : {"run.json", "nodes.json", "plan.jsonl", "records.jsonl"})
    p["digests"][file] = digest(files.folder / file);
  p["catalogue"] = files.promise.own_catalogue ? "replaced in part" : "built in";
  for (const auto& [file, sum] : files.promise.digests) p["digests"][file] = sum;
  p["own_promise"] = runs_own(files);
  return p;
}

int rank_of(Verdict v) {
  constexpr Verdict order[]{Verdict::fail,          Verdict::inconclusive, Verdict::not_run,
                            Verdict::remark,        Verdict::measured,     Verdict::pass,
                            Verdict::not_applicable};
  return static_cast<int>(std::find(std::begin(order), std::end(order), v) - std::begin(order));
}

/// Who is to blame, worst first, each once.
Json culprits(const std::vector<Finding>& findings) {
  Json list = Json::array();
  std::vector<std::string> seen;
  for (const Finding& f : findings) {
    if (f.culprits.empty() || (f.verdict != Verdict::fail && f.verdict != Verdict::inconclusive &&
                               f.verdict != Verdict::not_run))
      continue;
    for (const std::string& place : f.culprits) {
      if (std::find(seen.begin(), seen.end(), place) != seen.end()) continue;
      seen.push_back(place);
      list.push_back({{"place", place},
                      {"verdict", name(f.verdict)},
                      {"trouble", name(f.trouble)},
                      {"test", f.test},
                      {"reason", f.reason},
                      {"remedy", f.remedy}});
    }
  }
  return list;
}

}  // namespace

namespace {

std::vector<Finding> about_the_promise(const RunFiles& files) {
  std::vector<Finding> all = judge_build(files.nodes, files.promise.catalogue());
  if (const Cluster* c = files.promise.promised()) {
    for (Finding& f : judge_drift(*c, files.nodes, files.promise.catalogue()))
      all.push_back(std::move(f));
    for (Finding& f : judge_promise(*c, files.promise.catalogue())) all.push_back(std::move(f));
  }
  return all;
}

std::string cluster_name(const RunFiles& files) {
  if (const Cluster* c = files.promise.promised()) return c->name;
  return files.run.at("cluster").get<std::string>();
}

Json promised(const Cluster* c) {
  if (!c) return nullptr;
  Json groups = Json::array();
  for (const NodeGroup& g : c->groups)
    groups.push_back({{"name", g.name},
                      {"nodes", fold_node_set(g.nodes)},
                      {"count", g.nodes.size()},
                      {"server", g.server},
                      {"gpu", g.gpu},
                      {"gpus", g.gpus},
                      {"rails", g.rails.size()}});
  Json tolerance = Json::object();
  for (const auto& [what, ratio] : c->policy.tolerance) tolerance[what] = ratio;
  return {{"groups", groups},
          {"fabric", c->fabric.name},
          {"contract", c->contract.size()},
          {"policy",
           {{"required", c->policy.required},
            {"tolerance", tolerance},
            {"severity", c->policy.severity}}}};
}

}  // namespace

Json make_passport(const RunFiles& files, const std::string& judged_by, bool rejudged) {
  std::vector<Finding> findings = judge(files);
  const std::vector<RunCollective> collectives = collectives_of(files, findings);
  judge_collectives(files, collectives, findings);
  judge_continued(files, findings);
  const std::vector<FleetGroup> fleet = fleet_of(files);
  std::vector<Finding> beside = judge_fleet(files, fleet, findings);
  for (Finding& f : judge_pairs(files, pairs_of(files), findings)) beside.push_back(std::move(f));
  for (Finding& f : judge_consistency(files, findings)) findings.push_back(std::move(f));
  for (Finding& f : beside) findings.push_back(std::move(f));
  for (Finding& f : judge_preflight(files.nodes)) findings.push_back(std::move(f));
  for (Finding& f : about_the_promise(files)) findings.push_back(std::move(f));
  if (const Cluster* c = files.promise.promised()) apply_policy(c->policy, findings);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return rank_of(a.verdict) < rank_of(b.verdict);
  });
  std::vector<std::string> names;
  for (const Node& n : files.nodes) names.push_back(n.name);
  return {{"format", "accept.passport/1"},
          {"verdict", overall(findings)},
          {"simulated", files.run.at("simulated")},
          {"cluster",
           {{"name", cluster_name(files)},
            {"nodes", names},
            {"promised", promised(files.promise.promised())}}},
          {"nodes", files.nodes},
          {"findings", findings},
          {"culprits", culprits(findings)},
          {"fleet", fleet_table(fleet)},
          {"collectives", collectives_table(collectives)},
          {"coverage", coverage(files, findings)},
          {"definitions", files.run.at("tests")},
          {"provenance", provenance(files, judged_by, rejudged)}};
}

std::string write_passport(const Json& passport, const std::string& format) {
  if (format == "json") return dump(passport, 2) + "\n";
  if (format == "md") return write_markdown(passport);
  if (format == "html") return write_html(passport);
  throw std::invalid_argument(fmt::format("unknown format '{}'{}; known are json, md, html", format,
                                          suggestion(format, {"json", "md", "html"})));
}

}  // namespace acceptance
