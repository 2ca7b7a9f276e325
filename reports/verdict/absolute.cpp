#include "reports/verdict/absolute.h"

#include <fmt/format.h>

#include <algorithm>

namespace acceptance {

Judgement judge_figure(const Measured& m, const std::optional<Reference>& r, Better better) {
  const auto beyond = [&](double value, double limit) {
    return better == Better::higher ? value > limit : value < limit;
  };
  const auto figure = [&](double value) { return format(value, m.unit); };
  if (r && r->ceiling && beyond(m.value, *r->ceiling))
    return {Verdict::inconclusive,
            fmt::format("{} is better than is physically possible ({}): something other than what "
                        "was meant was "
                        "measured",
                        figure(m.value), figure(*r->ceiling)),
            "check caches, compression and the clock; then measure again"};
  if (!r || !r->floor) return {};
  if (!m.low || !m.high)
    return {Verdict::inconclusive, fmt::format("{} samples are too few to be sure", m.samples),
            "measure longer (--profile standard)"};
  const double worst = better == Better::higher ? *m.low : *m.high;
  const double best = better == Better::higher ? *m.high : *m.low;
  if (!beyond(*r->floor, worst)) return {Verdict::pass, "", ""};
  if (beyond(*r->floor, best))
    return {Verdict::fail,
            fmt::format("{} (95 % interval {} to {}) is worse than the floor {}", figure(m.value),
                        figure(*m.low), figure(*m.high), figure(*r->floor)),
            ""};
  return {Verdict::inconclusive,
          fmt::format("the floor {} lies within the 95 % interval {} to {}", figure(*r->floor),
                      figure(*m.low), figure(*m.high)),
          "measure longer (--profile standard)"};
}

Verdict judge_outcome(Outcome outcome, bool required) {
  switch (outcome) {
    case Outcome::ok: return Verdict::measured;
    case Outcome::failed: return Verdict::fail;
    case Outcome::skipped: return required ? Verdict::not_run : Verdict::not_applicable;
    case Outcome::interrupted: return Verdict::not_run;
    case Outcome::timed_out:
    case Outcome::error: return Verdict::inconclusive;
  }
  return Verdict::inconclusive;
}

std::string overall(const std::vector<Finding>& findings) {
  const auto any = [&](auto test) { return std::any_of(findings.begin(), findings.end(), test); };
  if (any([](const Finding& f) { return f.verdict == Verdict::fail; })) return "REJECTED";
  if (findings.empty() || any([](const Finding& f) {
        return f.required && (f.verdict == Verdict::inconclusive || f.verdict == Verdict::not_run);
      }))
    return "INCOMPLETE";
  // A passport of remarks and inapplicable tests alone says nothing about the machine.
  if (!any([](const Finding& f) {
        return f.verdict == Verdict::pass || f.verdict == Verdict::measured;
      }))
    return "INCOMPLETE";
  return any([](const Finding& f) {
    return f.verdict == Verdict::remark || f.verdict == Verdict::inconclusive ||
           f.verdict == Verdict::not_run;  // open, though not required
  })
             ? "ACCEPTED WITH REMARKS"
             : "ACCEPTED";
}

int exit_status(std::string_view verdict) {
  if (verdict == "REJECTED") return 1;
  return verdict.starts_with("ACCEPTED") ? 0 : 2;
}

}  // namespace acceptance
