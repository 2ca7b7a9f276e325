#include "reports/verdict/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "reports/verdict/equal_places.h"
#include "suites/core/node_set.h"

namespace acceptance {
namespace {

std::set<std::string> nodes_in(const Assignment& a) { return {a.places.begin(), a.places.end()}; }

/// It ran, and hung or did something wrong, and nobody knows whose fault it is.
bool came_to_no_end(const Finding& f, Outcome outcome) {
  return (outcome == Outcome::timed_out || outcome == Outcome::failed) && f.culprits.empty() &&
         (f.trouble == Trouble::none || f.trouble == Trouble::hung);
}

/// How bad a finding of a collective is; 0 = not so that it needs to be known why.
double badness(const Finding& f, Outcome outcome) {
  if (outcome != Outcome::ok) return came_to_no_end(f, outcome) ? 1e9 : 0;
  if (f.verdict != Verdict::fail || !f.measured || !f.reference || !f.reference->floor) return 0;
  const double ratio = f.measured->value / *f.reference->floor;
  return std::max(ratio, 1 / ratio);
}

/// One smaller collective: whether it was bad in the way the whole was; nothing where it can't be
/// said.
std::optional<bool> answer(const std::string& metric, Outcome outcome,
                           const std::vector<const Finding*>& findings) {
  if (outcome == Outcome::timed_out || outcome == Outcome::failed) return true;
  if (outcome != Outcome::ok) return std::nullopt;
  if (metric.empty()) return false;
  for (const Finding* f : findings)
    if (f->metric == metric && f->measured && f->reference && f->reference->floor) {
      if (f->verdict == Verdict::fail) return true;
      if (f->verdict == Verdict::pass) return false;
      // Its interval has the floor in it: the median decides on which side it is looked on.
      const bool above = f->measured->value >= *f->reference->floor;
      return f->measured->unit == Unit::seconds ? above : !above;
    }
  return std::nullopt;
}

/// The plan of a run by test and point, with what became of each.
class Collectives {
 public:
  Collectives(const RunFiles& files, const std::vector<Finding>& findings) : files_(files) {
    for (const Test& t : files.tests)
      if (std::any_of(t.scopes.begin(), t.scopes.end(),
                      [](Scope s) { return s == Scope::cluster || s == Scope::group; }))
        planned_[t.name] = planned_attempts(files, t);
    for (const Record& r : files.records)
      if (planned_.contains(r.assignment.test)) outcomes_[r.assignment.id()] = r.outcome;
    for (const Finding& f : findings)
      if (planned_.contains(f.test)) findings_[id_of(f)].push_back(&f);
  }

  std::vector<RunCollective> worst() const {
    std::map<std::string, std::pair<double, RunCollective>> by_test;
    std::set<std::string> begun;
    for (const Assignment& a : files_.plan)
      if (smaller(a)) begun.insert(a.test + key(a.point));
    for (const Assignment& a : files_.plan) {
      const auto outcome = outcomes_.find(a.id());
      if (!planned_.contains(a.test) || smaller(a) || nodes_in(a).size() < 3 ||
          outcome == outcomes_.end())
        continue;
      for (const Finding* f : of(a)) {
        double bad = badness(*f, outcome->second);
        if (bad > 0 && begun.contains(a.test + key(a.point)))
          bad += 1e12;  // what was begun goes on
        auto& [most, c] = by_test[a.test];
        if (bad <= most) continue;
        most = bad;
        c.whole = a;
        c.metric = outcome->second == Outcome::ok ? f->metric : "";
      }
    }
    std::vector<RunCollective> all;
    for (auto& [test, entry] : by_test)
      if (entry.first > 0) all.push_back(narrowed(std::move(entry.second)));
    return all;
  }

  bool smaller(const Assignment& a) const {
    const auto it = planned_.find(a.test);
    return it != planned_.end() && a.attempt > it->second;
  }

 private:
  static std::string id_of(const Finding& f) {
    Assignment a;
    a.test = f.test;
    a.point = f.point;
    a.places = f.where;
    a.attempt = f.attempt;
    return a.id();
  }
  const std::vector<const Finding*>& of(const Assignment& a) const {
    static const std::vector<const Finding*> none;
    Assignment plain = a;
    plain.version = Assignment{}.version;
    const auto it = findings_.find(plain.id());
    return it == findings_.end() ? none : it->second;
  }

  RunCollective narrowed(RunCollective c) const {
    std::unordered_map<std::string, std::size_t> numbers;
    const Cluster* promised = files_.promise.promised();
    // Neighbours beside each other: by leaf, and in the order in which nodes are named.
    std::vector<std::pair<std::string, std::string>> order;
    for (const std::string& n : nodes_in(c.whole))
      order.emplace_back(promised ? leaf_of(*promised, n) : "", n);
    std::sort(order.begin(), order.end());
    bool have_leaves = true;
    for (const auto& [leaf, node] : order) {
      numbers[node] = c.nodes.size();
      c.nodes.push_back(node);
      c.leaves.push_back(leaf);
      have_leaves = have_leaves && !leaf.empty();
    }
    if (!have_leaves) c.leaves.clear();
    Members all;
    for (std::size_t i = 0; i < c.nodes.size(); ++i) all.push_back(i);
    std::vector<Answer> answers{{all, true}};
    for (const Assignment& a : files_.plan) {
      if (!smaller(a) || a.test != c.whole.test || a.point != c.whole.point) continue;
      const auto outcome = outcomes_.find(a.id());
      Members members;
      for (const std::string& n : nodes_in(a))
        if (const auto it = numbers.find(n); it != numbers.end()) members.push_back(it->second);
      std::sort(members.begin(), members.end());
      const auto bad = outcome == outcomes_.end() || members.size() != nodes_in(a).size()
                           ? std::nullopt
                           : answer(c.metric, outcome->second, of(a));
      if (bad)
        answers.push_back({members, *bad});
      else
        c.unanswered.insert(members);
    }
    c.planned_attempts = planned_.at(c.whole.test);
    c.tried = answers.size() - 1;
    c.search = localise(c.nodes.size(), c.leaves, answers);
    Members blamed, rest;
    for (const Localised& l : c.search.found)
      if (l.kind == Localised::Kind::nodes)
        blamed.insert(blamed.end(), l.here.begin(), l.here.end());
    std::sort(blamed.begin(), blamed.end());
    std::set_difference(all.begin(), all.end(), blamed.begin(), blamed.end(),
                        std::back_inserter(rest));
    c.rest_good = std::any_of(answers.begin(), answers.end(),
                              [&](const Answer& a) { return !a.bad && a.members == rest; });
    return c;
  }

  const RunFiles& files_;
  std::unordered_map<std::string, int> planned_;
  std::unordered_map<std::string, Outcome> outcomes_;
  std::unordered_map<std::string, std::vector<const Finding*>> findings_;
};

std::vector<std::string> names(const RunCollective& c, const Members& members) {
  std::vector<std::string> out;
  for (const std::size_t m : members) out.push_back(c.nodes[m]);
  return out;
}

/// The leaf that all of them hang on, and nobody else of the collective; empty where there is none.
std::string whole_leaf(const RunCollective& c, const Members& members) {
  if (c.leaves.empty() || members.empty()) return "";
  const std::string& leaf = c.leaves[members[0]];
  for (const std::size_t m : members)
    if (c.leaves[m] != leaf) return "";
  const auto size = std::count(c.leaves.begin(), c.leaves.end(), leaf);
  return size == static_cast<std::ptrdiff_t>(members.size()) ? leaf : "";
}

std::string between_text(const RunCollective& c, const Localised& l,
                         std::vector<std::string>& to_blame) {
  const std::string here = fold_node_set(names(c, l.here)),
                    there = fold_node_set(names(c, l.there));
  const std::string leaf = whole_leaf(c, l.here), other = whole_leaf(c, l.there);
  if (l.there.empty()) {
    if (!leaf.empty()) to_blame.push_back("leaf " + leaf);
    return fmt::format("{} {} good among themselves, and bad with others",
                       leaf.empty() ? here : "the nodes of leaf " + leaf, "are");
  }
  if (!leaf.empty() && !other.empty())
    to_blame.push_back(fmt::format("leaves {} - {}", leaf, other));
  else if (l.here.size() == 1 && l.there.size() == 1)
    to_blame.push_back(fmt::format("link {} - {}", here, there));
  return fmt::format("{} and {} are each good with others, and bad with each other", here, there);
}

std::string text(const RunCollective& c, const Localised& l, std::vector<std::string>& to_blame) {
  const std::string here = fold_node_set(names(c, l.here));
  switch (l.kind) {
    case Localised::Kind::nodes:
      for (const std::string& n : names(c, l.here)) to_blame.push_back(n);
      return fmt::format("{} {} bad with partners that are good elsewhere{}", here,
                         l.here.size() == 1 ? "is" : "are",
                         c.rest_good ? fmt::format(", and the other {} are good without",
                                                   c.nodes.size() - l.here.size())
                                     : "");
    case Localised::Kind::between: return between_text(c, l, to_blame);
    case Localised::Kind::one_of:
      return fmt::format("{} are bad with one another: one of them, or what joins them", here);
    case Localised::Kind::together:
      return fmt::format("only all of {} at once are bad, none of their parts", here);
    case Localised::Kind::everywhere: return "wherever the nodes are parted, all parts are bad too";
    case Localised::Kind::unsteady: break;
  }
  return fmt::format("{} {} bad at times, and at others not", here,
                     l.here.size() == 1 ? "is" : "are");
}

constexpr const char* remedy =
    "look at what is named: its kernel log, NIC (link rate, width, errors, firmware), cable and "
    "switch port, or the way between where two are named; mend it or leave it out; then run again";

}  // namespace

std::vector<RunCollective> collectives_of(const RunFiles& files,
                                          const std::vector<Finding>& findings) {
  if (files.run.value("launcher", "") == "local") return {};
  return Collectives(files, findings).worst();
}

void judge_collectives(const RunFiles& files, const std::vector<RunCollective>& collectives,
                       std::vector<Finding>& findings) {
  std::unordered_map<std::string, int> planned;
  for (const Test& t : files.tests) planned[t.name] = planned_attempts(files, t);
  const auto is_bad = [](const Finding& f) {
    return f.verdict == Verdict::fail ||
           (f.verdict == Verdict::inconclusive && !f.measured && f.culprits.empty());
  };
  for (const RunCollective& c : collectives) {
    if (c.tried == 0) continue;
    std::vector<std::string> told, to_blame;
    for (const Localised& l : c.search.found) told.push_back(text(c, l, to_blame));
    if (told.empty()) told.push_back("nothing could be told apart");
    const std::string words = fmt::format("of {} smaller ones ({}): {}", c.tried,
                                          key(c.whole.point), fmt::join(told, "; "));
    for (Finding& f : findings)
      if (f.test == c.whole.test && f.where == c.whole.places && is_bad(f)) {
        f.reason += "; " + words;
        f.culprits = to_blame;
        if (!to_blame.empty()) f.remedy = remedy;
      }
    std::erase_if(findings, [&](const Finding& f) {
      return f.test == c.whole.test && f.attempt > planned[f.test];
    });
  }
}

Json collectives_table(const std::vector<RunCollective>& collectives) {
  constexpr const char* kinds[]{"nodes", "between", "one of", "together", "everywhere", "unsteady"};
  Json table = Json::array();
  for (const RunCollective& c : collectives) {
    Json found = Json::array();
    for (const Localised& l : c.search.found)
      found.push_back({{"kind", kinds[static_cast<int>(l.kind)]},
                       {"here", names(c, l.here)},
                       {"there", names(c, l.there)}});
    table.push_back({{"test", c.whole.test},
                     {"metric", c.metric},
                     {"point", c.whole.point},
                     {"nodes", c.nodes.size()},
                     {"tried", c.tried},
                     {"found", found}});
  }
  return table;
}

}  // namespace acceptance
