#include "reports/compare/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "reports/verdict/equal_places.h"
#include "suites/core/distributions.h"
#include "suites/core/statistics.h"

namespace acceptance {
namespace {

constexpr double false_report = 0.01;     // of an unchanged cluster
constexpr double common_part = 0.4;       // of what matters at one place: it moves all of them
constexpr double least_deviation = 1e-3;  // run to run, however alike a few runs look
constexpr std::size_t enough_places = 3;  // for what they have in common to be told apart

using Logs = std::vector<double>;  // one per repetition

/// One place before and after; logarithms of its figures.
struct Sides {
  std::vector<std::string> where;
  Logs before, after;

  double shift() const { return mean(after) - mean(before); }
  static double mean(const Logs& v) {
    double sum = 0;
    for (const double x : v) sum += x / static_cast<double>(v.size());
    return sum;
  }
};

/// Variance from run to run, pooled.
struct Pooled {
  double squares = 0, freedom = 0;
  void add(const Logs& v) {
    const double m = Sides::mean(v);
    for (const double x : v) squares += (x - m) * (x - m);
    freedom += static_cast<double>(v.size()) - 1;
  }
  void add(const Sides& s) { add(s.before), add(s.after); }
  void add(const Pooled& p) { squares += p.squares, freedom += p.freedom; }
  double deviation() const {
    return freedom > 0 ? std::max(least_deviation, std::sqrt(squares / freedom)) : least_deviation;
  }
};

struct Group {
  ChangedGroup out;
  std::map<std::string, Sides> places;
  std::vector<Sides> judged;  // nodes by their pairs, then places
  Sides common;
  Pooled between_runs, common_runs;
};

/// Figures by repetition: test, metric, point and places → repetition → mean of the logarithms.
struct Figures {
  struct Entry {
    const Test* test;
    const Metric* metric;
    const Assignment* assignment;
    std::map<int, std::pair<double, int>> by_repetition;
  };
  std::map<std::string, Entry> all;

  explicit Figures(const RunFiles& files) {
    std::unordered_map<std::string, const Test*> tests;
    for (const Test& t : files.tests) tests[t.name] = &t;
    for (const Record& r : files.records) {
      const auto test = tests.find(r.assignment.test);
      if (r.outcome != Outcome::ok || test == tests.end()) continue;
      const Test& t = *test->second;
      if (r.assignment.attempt > planned_attempts(files, t)) continue;  // of suspects alone
      const int each = attempts_each(t);
      for (const Metric& metric : t.metrics)
        for (const Measurement& m : r.measurements) {
          if (m.metric != metric.name || m.unit != metric.unit || m.samples.count() == 0 ||
              !(m.samples.median() > 0))
            continue;
          Assignment plain = r.assignment;
          plain.attempt = 1;
          Entry& e = all[fmt::format("{}/{}/{}", metric.name, symbol(m.unit), plain.id())];
          e.test = &t, e.metric = &metric, e.assignment = &r.assignment;
          auto& [sum, count] = e.by_repetition[(r.assignment.attempt - 1) / each];
          sum += std::log(m.samples.median());
          ++count;
        }
    }
  }

  static Logs logs(const Entry& e) {
    Logs out;
    for (const auto& [repetition, sum] : e.by_repetition)
      out.push_back(sum.first / static_cast<double>(sum.second));
    return out;
  }
};

/// Medians over places, by repetition, of how far a place is from its own mean of that side; as
/// long as half of the places have that repetition.
Logs medians(const std::vector<const Logs*>& places) {
  Logs out;
  for (std::size_t r = 0;; ++r) {
    std::vector<double> off;
    for (const Logs* p : places)
      if (r < p->size()) off.push_back((*p)[r] - Sides::mean(*p));
    if (off.empty() || 2 * off.size() < places.size()) return out;
    out.push_back(median(off));
  }
}

/// Several places as if they were one: their median shift, and how they went together from run to
/// run.
Sides together(const std::vector<const Sides*>& places) {
  Sides all;
  std::vector<const Logs*> before, after;
  std::vector<double> shifts, levels;
  for (const Sides* s : places) {
    before.push_back(&s->before), after.push_back(&s->after);
    shifts.push_back(s->shift());
    levels.push_back(Sides::mean(s->before));
  }
  const double level = median(levels), shift = median(shifts);
  for (const double x : medians(before)) all.before.push_back(level + x);
  for (const double x : medians(after)) all.after.push_back(level + shift + x);
  // Medians of deviations need not have mean 0: the shift is what it is.
  const double correction = shift - all.shift();
  for (double& x : all.after) x += correction;
  return all;
}

int fewest(const std::map<std::string, Sides>& places, Logs Sides::*side) {
  std::size_t n = 1000;
  for (const auto& [where, s] : places) n = std::min(n, (s.*side).size());
  return static_cast<int>(n);
}

/// Nodes all of whose pairs are a place of their own, where there are some.
void add_nodes(Group& g) {
  std::map<std::string, std::vector<const Sides*>> by_node;
  for (const auto& [where, s] : g.places) {
    if (s.where.size() != 2 || s.where[0] == s.where[1]) return;
    for (const std::string& node : s.where) by_node[node].push_back(&s);
  }
  std::vector<Sides> nodes;
  for (const auto& [node, pairs] : by_node) {
    if (pairs.size() < enough_places) continue;
    nodes.push_back(together(pairs));
    nodes.back().where = {node};
  }
  g.judged.insert(g.judged.begin(), nodes.begin(), nodes.end());
}

/// How sure one has to be of a change, and how large it has to be.
struct Rule {
  double level = 0;  ///< probability of reporting it where there is none, one-sided
  double matters = 0;
  double deviation = 0, freedom = 0;
};

Change judged(const Sides& s, double beyond, const Rule& rule, Better better) {
  Change c;
  c.where = s.where;
  c.before = std::exp(Sides::mean(s.before));
  c.after = std::exp(Sides::mean(s.after));
  const double shift = s.shift();
  c.change = std::expm1(shift);
  const double k = static_cast<double>(s.before.size()), m = static_cast<double>(s.after.size());
  const double fewest = std::min(k, m);
  const double worse = better == Better::higher ? -beyond : beyond;
  if (fewest < 3) {
    const double told = std::log1p(fewest < 2 ? told_with_one : told_with_two);
    c.low = std::expm1(shift - told), c.high = std::expm1(shift + told);
    c.move = worse > told ? Move::regressed : worse < -told ? Move::improved : Move::cant_tell;
    return c;
  }
  constexpr double tail_95 = 0.025;
  const double error = rule.deviation * std::sqrt(1 / k + 1 / m);
  const double usual = error * student_exceeded_by(tail_95, rule.freedom);
  const double sure = error * student_exceeded_by(rule.level, rule.freedom);
  c.low = std::expm1(shift - usual), c.high = std::expm1(shift + usual);
  const double matters = std::log1p(rule.matters);
  if (std::abs(worse) >= matters && std::abs(worse) > sure)
    c.move = worse > 0 ? Move::regressed : Move::improved;
  else if (std::abs(worse) + usual < matters)
    c.move = Move::unchanged;
  return c;
}

std::vector<Group> groups_of(const RunFiles& before, const RunFiles& after) {
  const Figures first(before), second(after);
  std::map<std::string, Group> by_key;
  for (const auto& [id, b] : first.all) {
    const auto a = second.all.find(id);
    if (a == second.all.end() || a->second.metric->better != b.metric->better) continue;
    const Assignment& what = *b.assignment;
    Group& g = by_key[fmt::format(
        "{}/{}/{}/{}", what.test, b.metric->name, key(what.point),
        what.places.size() == 2 ? 2 : std::min<std::size_t>(3, what.places.size()))];
    g.out.test = what.test;
    g.out.metric = b.metric->name;
    g.out.point = what.point;
    g.out.unit = b.metric->unit;
    g.out.better = b.metric->better;
    g.out.least = least_that_matters(after, what.test, b.metric->unit);
    g.places[id] = {what.places, Figures::logs(b), Figures::logs(a->second)};
  }
  std::vector<Group> groups;
  for (auto& [name, g] : by_key) groups.push_back(std::move(g));
  return groups;
}

/// Whether so large a variance would come by chance in less than one of a hundred places: Fisher's
/// F.
bool less_steady(const Pooled& own, const Pooled& wide) {
  if (own.freedom <= 0 || wide.freedom <= 0) return false;
  constexpr double seldom = 0.01;
  const double ratio = std::pow(own.deviation() / wide.deviation(), 2);
  return incomplete_beta(wide.freedom / 2, own.freedom / 2,
                         wide.freedom / (wide.freedom + own.freedom * ratio)) < seldom;
}

/// How their median would differ from run to run if places did so by themselves, weighed as four
/// repetitions more: a few repetitions alone say next to nothing (Smyth 2004, moderated t).
Pooled if_independent(const Group& g) {
  constexpr double weight = 4, error_of_median = 1.2533;
  const double deviation = error_of_median * g.between_runs.deviation() /
                           std::sqrt(static_cast<double>(g.places.size()));
  return {weight * deviation * deviation, weight};
}

void judge(Group& g, const Pooled& runs, const Pooled& common_runs, double level) {
  const bool several = g.places.size() >= enough_places;
  const Pooled& own_common = several ? g.common_runs : g.between_runs;
  Pooled wide_common = several ? common_runs : runs;
  if (several) wide_common.add(if_independent(g));
  const double matters = several ? common_part * g.out.least : g.out.least;
  // What is less steady than the others is not held to their steadiness.
  const auto rule = [&](const Pooled& own, const Pooled& wide, double least) {
    const double deviation = less_steady(own, wide) ? own.deviation() : wide.deviation();
    return Rule{level, least, deviation, wide.freedom};
  };
  g.out.common =
      judged(g.common, g.common.shift(), rule(own_common, wide_common, matters), g.out.better);
  if (!several) {
    for (const auto& [where, s] : g.places)
      g.out.places.push_back(
          judged(s, s.shift(), rule(g.between_runs, runs, g.out.least), g.out.better));
    return;
  }
  std::map<std::string, double> node_shifts;  // beyond the common, where all its pairs tell it
  std::set<std::string> moved;
  for (const Sides& s : g.judged) {
    double beyond = s.shift() - g.common.shift();
    if (s.where.size() == 2) {
      // What a node did is told once, and not of each of its pairs.
      if (moved.contains(s.where[0]) || moved.contains(s.where[1])) continue;
      const double a = node_shifts[s.where[0]], b = node_shifts[s.where[1]];
      beyond -= std::abs(a) > std::abs(b) ? a : b;
    }
    Pooled own;
    own.add(s);
    const Change& c =
        g.out.places.emplace_back(judged(s, beyond, rule(own, runs, g.out.least), g.out.better));
    if (s.where.size() != 1) continue;
    node_shifts[s.where[0]] = beyond;
    if (c.move == Move::regressed || c.move == Move::improved) moved.insert(s.where[0]);
  }
}

}  // namespace

std::string_view name(Move move) {
  switch (move) {
    case Move::regressed: return "regressed";
    case Move::improved: return "improved";
    case Move::unchanged: return "unchanged";
    case Move::cant_tell: return "can't tell";
  }
  return "";
}

std::vector<ChangedGroup> changes(const RunFiles& before, const RunFiles& after) {
  std::vector<Group> groups = groups_of(before, after);
  double comparisons = 0;
  std::map<std::string, std::pair<Pooled, Pooled>> by_metric;  // over all points of a metric
  for (Group& g : groups) {
    std::vector<const Sides*> all;
    for (const auto& [where, s] : g.places) {
      all.push_back(&s);
      g.judged.push_back(s);
      g.between_runs.add(s);
    }
    g.common = together(all);
    g.common_runs.add(g.common);
    add_nodes(g);
    g.out.repetitions_before = fewest(g.places, &Sides::before);
    g.out.repetitions_after = fewest(g.places, &Sides::after);
    comparisons += static_cast<double>(g.judged.size()) + 1;
    auto& [runs, common] = by_metric[g.out.test + "/" + g.out.metric];
    runs.add(g.between_runs);
    common.add(g.common_runs);
  }
  std::vector<ChangedGroup> out;
  for (Group& g : groups) {
    const auto& [runs, common] = by_metric[g.out.test + "/" + g.out.metric];
    judge(g, runs, common, false_report / 2 / comparisons);
    out.push_back(std::move(g.out));
  }
  return out;
}

}  // namespace acceptance
