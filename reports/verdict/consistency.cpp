#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/verdict/judge.h"

namespace acceptance {
namespace {

// What a machine must not show if another run is to agree within 3 %: two medians of the same thing
// in one run further apart than `repeatable`, compute samples spread by more than `spread_much`,
// CPU time taken away.
constexpr double repeatable = 0.02;
constexpr double spread_much = 0.04;
constexpr double stolen_much = 0.01;
constexpr double foreign_much = 0.05;

Finding remark(const std::string& test, const std::string& metric, const std::string& where,
               std::string reason, std::string remedy) {
  Finding f;
  f.test = test;
  f.metric = metric;
  f.where = {where};
  f.required = false;
  f.verdict = Verdict::remark;
  f.reason = std::move(reason);
  f.remedy = std::move(remedy);
  return f;
}

/// What there is about one node alone.
struct Own {
  std::vector<const Finding*> findings;
  std::vector<const Record*> records;  // of compute tests
};

double observed_most(const Own& own, std::string_view what) {
  double most = 0;
  for (const Finding* f : own.findings)
    for (const Observation& o : f->observations)
      if (o.name == what && o.value.is_number()) most = std::max(most, o.value.number());
  return most;
}

/// Largest relative distance between the attempts at one and the same measurement on a node, and
/// which it was.
std::pair<double, std::string> worst_repeat(const Own& own) {
  std::map<std::string, std::pair<double, double>> range;
  for (const Finding* finding : own.findings) {
    const Finding& f = *finding;
    if (!f.measured || f.measured->value <= 0) continue;
    const std::string what = fmt::format("{} {} ({})", f.test, f.metric, key(f.point));
    const auto [it, fresh] = range.try_emplace(what, f.measured->value, f.measured->value);
    it->second.first = std::min(it->second.first, f.measured->value);
    it->second.second = std::max(it->second.second, f.measured->value);
  }
  std::pair<double, std::string> worst{0, ""};
  for (const auto& [what, lowest_highest] : range) {
    const double apart = lowest_highest.second / lowest_highest.first - 1;
    if (apart > worst.first) worst = {apart, what};
  }
  return worst;
}

/// Widest spread of the middle nine tenths of a compute measurement's samples, relative to their
/// median.
std::pair<double, std::string> widest(const Own& own) {
  std::pair<double, std::string> widest{0, ""};
  for (const Record* r : own.records)
    for (const Measurement& m : r->measurements) {
      if (m.samples.count() < 2 || m.samples.median() <= 0) continue;
      const double spread =
          (m.samples.quantile(0.95) - m.samples.quantile(0.05)) / m.samples.median();
      if (spread > widest.first)
        widest = {spread, fmt::format("{} ({})", r->assignment.test, key(r->assignment.point))};
    }
  return widest;
}

std::string noise(const Own& own) {
  std::vector<std::string> signs;
  if (const auto [apart, what] = worst_repeat(own); apart > repeatable)
    signs.push_back(
        fmt::format("{} measured twice differs by {}", what, format(apart, Unit::ratio)));
  if (const double s = observed_most(own, "cpu time stolen by the hypervisor"); s > stolen_much)
    signs.push_back(
        fmt::format("the hypervisor took up to {} of the CPU time", format(s, Unit::ratio)));
  if (const double s = observed_most(own, "cpu time of other processes"); s > foreign_much)
    signs.push_back(
        fmt::format("other processes took up to {} of the CPU time", format(s, Unit::ratio)));
  if (const auto [spread, what] = widest(own); spread > spread_much)
    signs.push_back(fmt::format("nine tenths of the samples of {} spread over {}", what,
                                format(spread, Unit::ratio)));
  std::string text;
  for (const std::string& s : signs) text += (text.empty() ? "" : "; ") + s;
  return text;
}

const Finding* figure(const Own& own, const std::string& test,
                      const std::map<std::string, std::string>& words) {
  for (const Finding* f : own.findings)
    if (f->test == test && f->measured &&
        std::all_of(words.begin(), words.end(), [&](const auto& w) {
          const auto it = f->point.find(w.first);
          return it != f->point.end() && it->second == Value(w.second);
        }))
      return f;
  return nullptr;
}

}  // namespace

std::vector<Finding> judge_consistency(const RunFiles& files,
                                       const std::vector<Finding>& findings) {
  std::map<std::string, Own> by_node;
  for (const Finding& f : findings)
    if (f.where.size() == 1) by_node[f.where[0]].findings.push_back(&f);
  for (const Record& r : files.records)
    if (r.assignment.test.starts_with("compute."))
      by_node[r.assignment.places.at(0)].records.push_back(&r);
  std::vector<Finding> remarks;
  for (const Node& n : files.nodes) {
    const Own& own = by_node[n.name];
    if (const std::string signs = noise(own); !signs.empty())
      remarks.push_back(
          remark("machine.noise", "spread", n.name,
                 "this machine is too noisy for figures to repeat closely: " + signs,
                 "run again on an otherwise idle machine, or longer (--profile standard)"));
    if (n.cpu.quota && *n.cpu.quota < n.cpu.cores)
      remarks.push_back(remark(
          "machine.quota", "cores", n.name,
          fmt::format(
              "a control group allows {:g} of {} cores: the figures of this node are those of "
              "its share",
              *n.cpu.quota, n.cpu.cores),
          "run without the quota to accept the whole machine"));
    const std::string gemm = "compute.cpu_gemm";
    const Finding* one = figure(own, gemm, {{"precision", "fp64"}, {"threads", "one"}});
    const Finding* all = figure(own, gemm, {{"precision", "fp64"}, {"threads", "all"}});
    if (one && all && n.cpu.usable.size() > 1 && all->measured->value < 0.9 * one->measured->value)
      remarks.push_back(
          remark("machine.contradiction", "rate", n.name,
                 fmt::format("all cores together multiply slower ({}) than one alone ({})",
                             format(all->measured->value, Unit::flop_per_second),
                             format(one->measured->value, Unit::flop_per_second)),
                 "look for a CPU quota of a container or virtual machine, and for cores sharing "
                 "one processor"));
  }
  return remarks;
}

}  // namespace acceptance
