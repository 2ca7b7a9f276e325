#include "reports/verdict/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "reports/reference/reference.h"
#include "reports/verdict/absolute.h"
#include "reports/verdict/rules.h"

namespace acceptance {
namespace {

std::optional<double> observed(const Record& record, std::string_view what) {
  for (const Observation& o : record.observations)
    if (o.name == what && o.value.is_number()) return o.value.number();
  return std::nullopt;
}

/// Best STREAM copy of each node in this run: the most its memory was seen to move.
std::map<std::string, double> memory_copies(const RunFiles& files) {
  std::map<std::string, double> best;
  for (const Record& r : files.records)
    if (r.assignment.test == "compute.memory_bandwidth" && r.assignment.point.contains("kernel") &&
        r.assignment.point.at("kernel") == Value("copy"))
      for (const Measurement& m : r.measurements) {
        double& most = best[r.assignment.places.at(0)];
        most = std::max(most, m.samples.max());
      }
  return best;
}

/// What is the same for all findings of a run, looked up once.
struct Known {
  std::map<std::string, const Node*> nodes;
  std::map<std::string, double> memory_copies;
  const Promise* promise = nullptr;
};

Evidence evidence_for(const Known& known, const Record& record) {
  Evidence e;
  std::set<std::string> machines;
  for (const std::string& place : record.assignment.places)
    if (const auto n = known.nodes.find(place); n != known.nodes.end())
      machines.insert(n->second->boot_id.empty() ? n->first : n->second->boot_id);
  const std::string& first = record.assignment.places.at(0);
  if (const auto n = known.nodes.find(first); n != known.nodes.end()) e.node = n->second;
  e.one_machine = machines.size() == 1 && record.assignment.places.size() > 1;
  if (const auto c = known.memory_copies.find(first); c != known.memory_copies.end())
    e.memory_copy = c->second;
  e.core_clock = observed(record, "core clock");
  e.threads = observed(record, "threads");
  e.catalogue = &known.promise->catalogue();
  e.cluster = known.promise->promised();
  for (const std::string& place : record.assignment.places)
    if (std::find(e.places.begin(), e.places.end(), place) == e.places.end())
      e.places.push_back(place);
  return e;
}

std::string remedy_for(Trouble t) {
  switch (t) {
    case Trouble::unreachable:
      return "check its power, cable and addresses, and the firewall in both directions (it "
             "connects back to the head: --head-address); then run again";
    case Trouble::ssh_refused:
      return "ssh -o BatchMode=yes NODE true must work without a question; then run again";
    case Trouble::no_command: return "install the program there at the same path, or use --push";
    case Trouble::other_build: return "install this same build there, or use --push";
    case Trouble::wrong_world:
      return "start worlds with the MPI the program was built for (--mpi; srun --mpi=list)";
    case Trouble::dead_at_start:
    case Trouble::late:
    case Trouble::died: return "see logs/ in the run folder and the node's kernel log";
    case Trouble::silent:
      return "see whether the node answers (ping, console, BMC) and its kernel log; then run again";
    case Trouble::hung: return "see its kernel log; repeat it alone with accept measure";
    case Trouble::out_of_memory:
      return "see what else uses its memory, and its limits (cgroup, ulimit)";
    case Trouble::disk_full: return "make room there";
    case Trouble::unkillable: return "reboot the node: the process waits in its kernel";
    case Trouble::left_alone: return "return it to service, then accept run --resume DIR";
    case Trouble::set_apart: return "mend the node, then accept run --resume DIR";
    case Trouble::none: break;
  }
  return "see logs/ in the run folder; repeat it alone with accept measure";
}

Finding blank(const Assignment& a) {
  Finding f;
  f.test = a.test;
  f.point = a.point;
  f.where = a.places;
  f.attempt = a.attempt;
  return f;
}

Measured measured_from(const Measurement& m) {
  Measured out;
  out.value = m.samples.median();
  if (const auto interval = m.samples.interval()) {
    out.low = interval->low;
    out.high = interval->high;
  }
  out.unit = m.unit;
  out.samples = m.samples.count();
  return out;
}

/// Without a figure: what became of it, whose doing, and what helps.
Finding without_figure(const Assignment& a, const Test& test, const Record* record) {
  Finding f = blank(a);
  f.metric = test.metrics.empty() ? "" : test.metrics.front().name;
  if (!record) {
    f.reason = "no final record: the run was stopped before it was done";
    f.remedy = "accept run --resume DIR";
    return f;
  }
  f.verdict = judge_outcome(record->outcome, f.required);
  f.reason = record->reason;
  f.trouble = record->trouble;
  f.culprits = record->culprits;
  f.observations = record->observations;
  if (f.culprits.empty() && a.places.size() == 1 && record->outcome == Outcome::failed)
    f.culprits = a.places;
  if (record->trouble != Trouble::none) {
    f.remedy = remedy_for(record->trouble);
    return f;
  }
  switch (record->outcome) {
    case Outcome::skipped: f.remedy = "supply what is missing, and run again"; break;
    case Outcome::failed:
      f.remedy = "see the records of this test; repeat it alone with accept measure";
      break;
    default: f.remedy = remedy_for(Trouble::none);
  }
  return f;
}

/// Tests that were chosen, and nodes that were found, but for which nothing was ever planned.
std::vector<Finding> unplanned(const RunFiles& files) {
  std::set<std::string> planned, places;
  for (const Assignment& a : files.plan) {
    planned.insert(a.test);
    places.insert(a.places.begin(), a.places.end());
  }
  std::vector<Finding> findings;
  const auto add = [&](const std::string& test, const std::string& metric, const std::string& where,
                       std::string reason) {
    Finding f;
    f.test = test;
    f.metric = metric;
    f.where = {where};
    f.reason = std::move(reason);
    f.remedy = "run again";
    findings.push_back(std::move(f));
  };
  for (const Test& t : files.tests)
    if (!planned.contains(t.name))
      add(t.name, t.metrics.empty() ? "" : t.metrics[0].name, "nowhere",
          "the test was chosen, but the plan has nothing of it");
  for (const Node& n : files.nodes)
    if (!places.contains(n.name))
      add("machine.plan", "assignments", n.name, "the plan has nothing for this node");
  return findings;
}

/// What there is to say about the processes and nodes themselves: records of no planned test.
std::vector<Finding> about_machines(const RunFiles& files, const Known& known,
                                    const std::set<std::string>& unfinished) {
  std::vector<Finding> findings;
  std::set<std::string> named;
  for (auto it = files.records.rbegin(); it != files.records.rend();
       ++it) {  // the last word counts
    const Record& r = *it;
    const std::string& test = r.assignment.test;
    if (!test.starts_with("machine.")) continue;
    if (r.outcome == Outcome::ok) named.insert(test + r.assignment.places[0]);
    // Whoever could not be asked is missing, whether or not anybody can be blamed for it.
    std::vector<std::string> places = r.culprits;
    if (test == probe_test) places = r.assignment.places;
    if (r.outcome == Outcome::ok || places.empty()) continue;
    if (!named.insert(test + places.front()).second) continue;
    Finding f = blank(r.assignment);
    f.where = places;
    f.metric = test == probe_test ? "inventory" : "processes";
    f.reason = test == probe_test ? "took no part: " + r.reason : r.reason;
    f.trouble = r.trouble;
    f.culprits = places;
    f.remedy = remedy_for(r.trouble);
    // What was got over, and cost no measurement, is worth a remark.
    if (test == sweep_test)
      f.verdict = Verdict::inconclusive;
    else if ((test != probe_test || known.nodes.contains(places[0])) &&
             std::none_of(places.begin(), places.end(), [&](const std::string& p) {
               return unfinished.contains(p.substr(0, p.find(' ')));
             }))
      f.verdict = Verdict::remark;
    findings.push_back(std::move(f));
  }
  return findings;
}

/// What an assignment left: its last record, and how many final ones.
struct Left {
  const Record* last = nullptr;
  int finals = 0;
};

/// Nodes of which something planned was not done.
std::set<std::string> unfinished_nodes(const RunFiles& files,
                                       const std::unordered_map<std::string, Left>& left) {
  std::set<std::string> nodes;
  for (const Assignment& a : files.plan)
    if (const auto it = left.find(a.id()); it == left.end() || it->second.finals == 0)
      nodes.insert(a.places.begin(), a.places.end());
  return nodes;
}

}  // namespace

std::vector<Finding> judge(const RunFiles& files) {
  std::unordered_map<std::string, Left> left;
  left.reserve(files.records.size());
  for (const Record& r : files.records) {
    Left& l = left[r.assignment.id()];
    l.last = &r;
    if (r.outcome != Outcome::interrupted) ++l.finals;
  }
  Known known{{}, memory_copies(files), &files.promise};
  for (const Node& n : files.nodes) known.nodes[n.name] = &n;
  std::map<std::string, const Test*> tests;
  for (const Test& t : files.tests) tests[t.name] = &t;

  std::vector<Finding> findings;
  std::size_t figures = 0;
  for (const Assignment& a : files.plan)
    if (const auto t = tests.find(a.test); t != tests.end()) figures += t->second->metrics.size();
  findings.reserve(figures);
  for (const Assignment& a : files.plan) {
    const auto test = tests.find(a.test);
    if (test == tests.end())
      throw std::invalid_argument(fmt::format("run.json has no definition of {}", a.test));
    const auto found = left.find(a.id());
    const auto [record, finals] = found == left.end() ? Left{} : found->second;
    if (!record || record->outcome != Outcome::ok || test->second->metrics.empty() || finals > 1) {
      findings.push_back(without_figure(a, *test->second, record));
      if (finals > 1) {
        findings.back().verdict = Verdict::inconclusive;
        findings.back().reason = fmt::format("records.jsonl has {} final records of it", finals);
        findings.back().remedy =
            "measure again: these records were put together from several runs, or changed";
      } else if (record && record->outcome == Outcome::ok) {
        findings.back().verdict = Verdict::not_run;
        findings.back().reason = "the test has no metric: nothing was measured";
      }
      continue;
    }
    const Evidence evidence = evidence_for(known, *record);
    for (const Metric& metric : test->second->metrics) {
      Finding f = blank(a);
      f.metric = metric.name;
      f.observations = record->observations;
      const auto m = std::find_if(record->measurements.begin(), record->measurements.end(),
                                  [&](const Measurement& x) { return x.metric == metric.name; });
      if (m == record->measurements.end() || m->samples.count() == 0 || m->unit != metric.unit) {
        f.reason = m != record->measurements.end() && m->unit != metric.unit
                       ? fmt::format("its figure is in {}, the metric in {}", symbol(m->unit),
                                     symbol(metric.unit))
                       : "the test ended well but left no figure for this metric";
        findings.push_back(std::move(f));
        continue;
      }
      f.measured = measured_from(*m);
      f.reference = reference_for(a.test, metric.name, a.point, evidence);
      Judgement judged = judge_figure(*f.measured, f.reference, metric.better);
      f.verdict = judged.verdict;
      f.reason = std::move(judged.reason);
      f.remedy = std::move(judged.remedy);
      if (f.verdict == Verdict::fail && a.places.size() == 1) f.culprits = a.places;
      findings.push_back(std::move(f));
    }
  }
  for (Finding& f : unplanned(files)) findings.push_back(std::move(f));
  for (Finding& f : about_machines(files, known, unfinished_nodes(files, left)))
    findings.push_back(std::move(f));
  for (Finding& f : judge_coverage(files, findings)) findings.push_back(std::move(f));
  return findings;
}

}  // namespace acceptance
