#include "reports/verdict/suspicion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/verdict/rules.h"

namespace acceptance {
namespace {

std::string place_key(const std::string& test, const std::string& metric, const Point& point,
                      const std::vector<std::string>& places) {
  std::string text = fmt::format("{}/{}/{}", test, metric, key(point));
  for (const std::string& p : places) text += "/" + p;
  return text;
}

// The worse the lower; what has no floor says the least.
int gravity(Verdict v) {
  switch (v) {
    case Verdict::fail: return 0;
    case Verdict::measured: return 1;
    default: return 2;
  }
}

std::string second_look_text(const Suspicion& s) {
  if (!s.looked) return "It was not measured again.";
  if (s.again <= 0) return "Measured again, in new processes, it was like its equals.";
  return fmt::format("Measured again, in new processes, it was {} off.",
                     format(s.again, Unit::ratio));
}

}  // namespace

Floors::Floors(const std::vector<Finding>& findings, const std::set<std::string>& of) {
  for (const Finding& f : findings) {
    if (!f.measured || of.empty() || !of.contains(f.test + "/" + f.metric)) continue;
    const auto [it, fresh] =
        worst_.try_emplace(place_key(f.test, f.metric, f.point, f.where), f.verdict);
    if (!fresh && gravity(f.verdict) < gravity(it->second)) it->second = f.verdict;
  }
}

void Floors::tell(Suspicion& s, const Point& point, const std::vector<std::string>& places) const {
  const auto it = worst_.find(place_key(s.test, s.metric, point, places));
  if (it == worst_.end() || it->second == Verdict::measured) s.floor = false;
  if (it != worst_.end() && it->second == Verdict::fail) s.failed = true;
}

std::string odds_text(double chance) {
  if (chance < 1e-6) return "in less than one of a million healthy clusters";
  const double one_in = 1 / chance;
  const double digits = std::pow(10, std::floor(std::log10(one_in)) - 1);
  return fmt::format("in one of {:.0f} healthy clusters", std::floor(one_in / digits) * digits);
}

Finding finding_of(const std::string& rule, const RunFiles& files, const Suspicion& s) {
  Finding f;
  f.test = rule;
  f.metric = s.test + " " + s.metric;
  f.where = s.where;
  const Cluster* c = files.promise.promised();
  f.required = !c || required_by(c->policy, s.test);
  const double own = s.usual * (s.better == Better::higher ? 1 - s.off : 1 + s.off);
  f.reason =
      fmt::format("{} is {} {} {}: {} against {} ({}{}). Something so far off shows {}. {}", s.who,
                  format(s.off, Unit::ratio), s.better == Better::higher ? "below" : "above",
                  s.equals, format(own, s.unit), format(s.usual, s.unit), s.points,
                  s.count > 1 ? fmt::format(", the worst of {} points", s.count) : "",
                  odds_text(s.chance), second_look_text(s));
  if (!s.apart.empty()) f.reason += fmt::format(" What sets it apart: {}.", s.apart);
  f.remedy =
      "find what sets it apart (firmware, clocks, cooling, cables, other load), repeat it with "
      "accept measure; then run again";
  if (s.failed || (!s.floor && s.agreed)) {
    f.verdict = Verdict::fail;
    f.culprits = s.culprits;
  } else if (s.floor) {
    f.verdict = Verdict::remark;
    f.culprits = s.culprits;
    f.reason += " It meets its floor.";
  } else if (s.looked) {
    f.verdict = Verdict::remark;
  } else {
    f.verdict = Verdict::inconclusive;
    f.culprits = s.culprits;
  }
  return f;
}

}  // namespace acceptance
