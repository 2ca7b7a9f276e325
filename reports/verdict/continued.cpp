#include "reports/verdict/continued.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "reports/verdict/equal_places.h"
#include "suites/core/sequential.h"

namespace acceptance {
namespace {

/// Its interval has the floor in it, or it has none yet: more samples may decide.
bool is_undecided(const Finding& f) {
  if (f.verdict != Verdict::inconclusive || !f.measured || !f.reference || !f.reference->floor)
    return false;
  return !f.measured->low ||
         (*f.measured->low <= *f.reference->floor && *f.reference->floor <= *f.measured->high);
}

std::string place_of(const Finding& f) {
  std::string text = f.test + "/" + f.metric + "/" + key(f.point);
  for (const std::string& p : f.where) text += "/" + p;
  return text;
}

/// All that was measured of one metric at one place and point, in all attempts.
struct Figure {
  std::vector<double> values;
  double seconds = 0;
  int attempts = 0;  ///< the highest
  const Assignment* assignment = nullptr;
};

std::map<std::string, Figure> figures_of(const RunFiles& files,
                                         const std::vector<Finding>& findings) {
  std::map<std::string, Figure> figures;
  for (const Finding& f : findings)
    if (is_undecided(f)) figures[place_of(f)];
  if (figures.empty()) return figures;
  for (const Record& r : files.records) {
    if (r.outcome != Outcome::ok) continue;
    Finding f;
    f.test = r.assignment.test;
    f.point = r.assignment.point;
    f.where = r.assignment.places;
    for (const Measurement& m : r.measurements) {
      f.metric = m.metric;
      const auto it = figures.find(place_of(f));
      // A histogram is of so many samples that a few more change nothing.
      if (it == figures.end() || m.samples.raw().size() != m.samples.count()) continue;
      Figure& figure = it->second;
      figure.values.insert(figure.values.end(), m.samples.raw().begin(), m.samples.raw().end());
      figure.seconds += r.seconds;
      figure.attempts = std::max(figure.attempts, r.assignment.attempt);
      figure.assignment = &r.assignment;
    }
  }
  return figures;
}

constexpr std::size_t most_times_more = 8;

}  // namespace

std::vector<Assignment> to_continue(const RunFiles& files, const std::vector<Finding>& findings) {
  std::unordered_map<std::string, int> planned;
  for (const Test& t : files.tests) planned[t.name] = planned_attempts(files, t);
  std::set<std::string> known;
  for (const Assignment& a : files.plan) known.insert(a.id());
  const auto figures = figures_of(files, findings);
  std::map<std::string, Assignment> list;  // by id: metrics of one assignment are one
  for (const Finding& f : findings) {
    if (!is_undecided(f)) continue;
    const Figure& figure = figures.at(place_of(f));
    if (!figure.assignment || figure.attempts >= planned[f.test] + most_continuations) continue;
    if (decide(figure.values, *f.reference->floor) != Decision::open ||
        !enough_to_decide(figure.values, *f.reference->floor,
                          most_times_more * figure.values.size()))
      continue;
    Assignment a = *figure.assignment;
    a.attempt = figure.attempts + 1;
    if (!known.contains(a.id())) list.emplace(a.id(), std::move(a));
  }
  std::vector<Assignment> out;
  for (auto& [id, a] : list) out.push_back(std::move(a));
  return out;
}

void judge_continued(const RunFiles& files, std::vector<Finding>& findings) {
  const auto figures = figures_of(files, findings);
  std::unordered_map<std::string, Better> better;
  for (const Test& t : files.tests)
    for (const Metric& m : t.metrics) better[t.name + "/" + m.name] = m.better;
  for (Finding& f : findings) {
    if (!is_undecided(f)) continue;
    const Figure& figure = figures.at(place_of(f));
    const double floor = *f.reference->floor;
    const Decision side = decide(figure.values, floor);
    const bool good =
        (side == Decision::above) == (better[f.test + "/" + f.metric] == Better::higher);
    if (side != Decision::open) {
      f.verdict = good ? Verdict::pass : Verdict::fail;
      f.reason =
          fmt::format("all {} samples of {} measurements together are {} the floor {}",
                      figure.values.size(), figure.attempts,
                      good ? "on the good side of" : "worse than", format(floor, f.measured->unit));
      f.remedy.clear();
      if (!good && f.where.size() == 1) f.culprits = f.where;
      continue;
    }
    const auto enough = enough_to_decide(figure.values, floor, 100 * figure.values.size());
    if (enough && !figure.values.empty())
      f.remedy =
          fmt::format("measure longer: about {} samples would decide, {} were taken in {:.0f} s",
                      *enough, figure.values.size(), figure.seconds);
    else if (figure.values.size() >= 6)
      f.remedy = "it is as good as at the floor: no measuring will decide";
  }
}

}  // namespace acceptance
