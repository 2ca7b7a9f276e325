// Answers lines of "function argument…" with the statistic, for statistics_test.py to compare.
#include "suites/core/statistics.h"

#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "reports/compare/changes.h"
#include "suites/core/distributions.h"
#include "suites/core/outliers.h"
#include "suites/core/samples.h"
#include "suites/core/sequential.h"

namespace acceptance {
namespace {

std::uint64_t whole(double v) { return static_cast<std::uint64_t>(v); }

/// Places, repetitions before and after, then the figures: before by place and repetition, after
/// likewise. Common change and that of the first place, each with its interval and its move.
std::vector<double> changes_of(const std::vector<double>& v) {
  const std::size_t places = whole(v[0]);
  RunFiles runs[2];
  std::size_t next = 3;
  for (std::size_t side = 0; side < 2; ++side) {
    Test t;
    t.name = "made.up";
    t.metrics = {{"rate", Unit::flop_per_second, Better::higher, ""}};
    runs[side].tests = {t};
    const int repetitions = static_cast<int>(v[1 + side]);
    runs[side].run = {{"request", {{"repeat", repetitions}}}};
    for (std::size_t p = 0; p < places; ++p)
      for (int r = 1; r <= repetitions; ++r) {
        Record record;
        record.outcome = Outcome::ok;
        record.assignment.test = t.name;
        record.assignment.places = {fmt::format("n{:03}", p)};
        record.assignment.attempt = r;
        record.measurements = {{"rate", Unit::flop_per_second, Samples(std::span(&v[next++], 1))}};
        runs[side].records.push_back(std::move(record));
      }
  }
  const std::vector<ChangedGroup> groups = changes(runs[0], runs[1]);
  std::vector<double> out;
  for (const Change& c : {groups.at(0).common, groups.at(0).places.at(0)})
    for (const double d : {c.change, c.low, c.high, static_cast<double>(c.move)}) out.push_back(d);
  return out;
}

std::vector<double> answer(const std::string& what, const std::vector<double>& v) {
  const std::span<const double> rest = std::span(v).subspan(1);
  if (what == "median") return {median(v)};
  if (what == "quantile") return {quantile(rest, v[0])};
  if (what == "deviation") return {Samples(v).deviation()};
  if (what == "median_interval") {
    const auto i = median_interval(v);
    return {i->low, i->high};
  }
  if (what == "anytime_ranks") {
    const auto ranks = anytime_median_ranks(whole(v[0]));
    return {ranks ? static_cast<double>(ranks->first) : -1,
            ranks ? static_cast<double>(ranks->second) : -1};
  }
  if (what == "changes") return changes_of(v);
  if (what == "incomplete_beta") return {incomplete_beta(v[0], v[1], v[2])};
  if (what == "normal_above") return {normal_above(v[0])};
  if (what == "normal_exceeded_by") return {normal_exceeded_by(v[0])};
  if (what == "student_above") return {student_above(v[0], v[1])};
  if (what == "student_exceeded_by") return {student_exceeded_by(v[0], v[1])};
  if (what == "binomial_at_least") return {binomial_at_least(whole(v[0]), whole(v[1]), v[2])};
  if (what == "hypergeometric_at_least")
    return {hypergeometric_at_least(whole(v[0]), whole(v[1]), whole(v[2]), whole(v[3]))};
  if (what == "compare_places") {  // level, then value and error of each place
    std::vector<PlaceValue> places;
    for (std::size_t i = 1; i + 1 < v.size(); i += 2) places.push_back({v[i], v[i + 1]});
    const Spread s = compare_places(places, v[0]);
    std::vector<double> out{s.centre, s.between, s.noise};
    for (const Outlier& o : s.outliers)
      for (const double d : {static_cast<double>(o.index), o.off, o.chance}) out.push_back(d);
    return out;
  }
  throw std::invalid_argument("no such function: " + what);
}

}  // namespace
}  // namespace acceptance

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    const std::vector<double> arguments{std::istream_iterator<double>(in), {}};
    for (const double d : acceptance::answer(what, arguments)) fmt::print("{:.17g} ", d);
    fmt::print("\n");
  }
}
