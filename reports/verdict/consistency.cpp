#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/verdict/judge.h"

namespace acceptance {
namespace {

// Two medians of the same thing in one run further apart than this, or CPU time taken away beyond
// this share, and the figures of another run can't be expected to agree either.
constexpr double repeatable = 0.03;
constexpr double stolen_much = 0.01;
constexpr double foreign_much = 0.05;
constexpr double wide = 0.05;  // relative half width of a median's interval

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

double observed_most(const std::vector<Finding>& findings, const std::string& node,
                     std::string_view what) {
  double most = 0;
  for (const Finding& f : findings)
    if (f.where.size() == 1 && f.where[0] == node)
      for (const Observation& o : f.observations)
        if (o.name == what && o.value.is_number()) most = std::max(most, o.value.number());
  return most;
}

/// Largest relative distance between the attempts at one and the same measurement on a node, and
/// which it was.
std::pair<double, std::string> worst_repeat(const std::vector<Finding>& findings,
                                            const std::string& node) {
  std::map<std::string, std::pair<double, double>> range;
  for (const Finding& f : findings) {
    if (!f.measured || f.where.size() != 1 || f.where[0] != node || f.measured->value <= 0)
      continue;
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

std::string noise(const std::vector<Finding>& findings, const std::string& node) {
  std::vector<std::string> signs;
  if (const auto [apart, what] = worst_repeat(findings, node); apart > repeatable)
    signs.push_back(
        fmt::format("{} measured twice differs by {}", what, format(apart, Unit::ratio)));
  if (const double s = observed_most(findings, node, "cpu time stolen by the hypervisor");
      s > stolen_much)
    signs.push_back(
        fmt::format("the hypervisor took up to {} of the CPU time", format(s, Unit::ratio)));
  if (const double s = observed_most(findings, node, "cpu time of other processes");
      s > foreign_much)
    signs.push_back(
        fmt::format("other processes took up to {} of the CPU time", format(s, Unit::ratio)));
  std::size_t vague = 0, all = 0;
  for (const Finding& f : findings)
    if (f.measured && f.measured->low && f.where.size() == 1 && f.where[0] == node &&
        f.test.starts_with("compute.")) {
      ++all;
      if ((*f.measured->high - *f.measured->low) / 2 > wide * f.measured->value) ++vague;
    }
  if (vague > 0)
    signs.push_back(fmt::format("{} of {} compute figures are known only to within more than {}",
                                vague, all, format(wide, Unit::ratio)));
  std::string text;
  for (const std::string& s : signs) text += (text.empty() ? "" : "; ") + s;
  return text;
}

const Finding* figure(const std::vector<Finding>& findings, const std::string& node,
                      const std::string& test, const std::map<std::string, std::string>& words) {
  for (const Finding& f : findings)
    if (f.test == test && f.measured && f.where.size() == 1 && f.where[0] == node &&
        std::all_of(words.begin(), words.end(), [&](const auto& w) {
          const auto it = f.point.find(w.first);
          return it != f.point.end() && it->second == Value(w.second);
        }))
      return &f;
  return nullptr;
}

}  // namespace

std::vector<Finding> judge_consistency(const RunFiles& files,
                                       const std::vector<Finding>& findings) {
  std::vector<Finding> remarks;
  for (const Node& n : files.nodes) {
    if (const std::string signs = noise(findings, n.name); !signs.empty())
      remarks.push_back(
          remark("machine.noise", "spread", n.name,
                 "this machine is too noisy for figures to repeat closely: " + signs,
                 "run again on an otherwise idle machine, or longer (--profile standard)"));
    const std::string gemm = "compute.cpu_gemm";
    const Finding* one =
        figure(findings, n.name, gemm, {{"precision", "fp64"}, {"threads", "one"}});
    const Finding* all =
        figure(findings, n.name, gemm, {{"precision", "fp64"}, {"threads", "all"}});
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
