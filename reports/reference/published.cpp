#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/reference/derive.h"

namespace acceptance {
namespace {

Unit unit_of(const Setup& s) {
  if (s.metric == "latency") return Unit::seconds;
  return s.test == "compute.gpu_gemm" ? Unit::flop_per_second : Unit::bytes_per_second;
}

std::string what_was_measured(const Setup& s) {
  std::string text = s.gpu;
  const auto add = [&](const std::string& word) {
    if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
  };
  if (s.gpus > 0)
    add(s.nodes > 1 ? fmt::format("{} nodes × {}", s.nodes, s.gpus)
                    : fmt::format("{} GPUs", s.gpus));
  if (s.domain > s.gpus) add(fmt::format("NVLink domains of {}", s.domain));
  if (s.rate > 0)
    add(fmt::format("{}{} {}", s.rails > 0 ? fmt::format("{} × ", s.rails) : "", rate_text(s.rate),
                    s.fabric));
  if (s.hops > 0) add(fmt::format("{} hop(s)", s.hops));
  for (const std::string& word :
       {s.precision, s.kernel, s.direction, s.algorithm, s.memory, s.link})
    add(word);
  if (s.streams > 0) add(fmt::format("{} stream(s)", s.streams));
  if (s.message > 0) add(format(s.message, Unit::bytes));
  return text;
}

std::string limit(const std::optional<double>& value, Unit unit) {
  return value ? format(*value, unit) : "-";
}

}  // namespace

std::string published_table(const Catalogue& c) {
  std::string table =
      "| test | on | published | derived | error | floor | ceiling | source | remark |\n"
      "|---|---|---:|---:|---:|---:|---:|---|---|\n";
  std::vector<double> errors;
  std::size_t outside = 0;
  for (const Validation& v : validate(c)) {
    const Setup& s = v.row->setup;
    const Unit unit = unit_of(s);
    const Sourced& value = v.row->value;
    std::string remark = v.row->reason;
    if (!value.note.empty()) remark += (remark.empty() ? "" : "; ") + value.note;
    if (!value.gates) remark = "informs only" + (remark.empty() ? "" : ": " + remark);
    const std::string published = value.low == value.high
                                      ? format(value.value, unit)
                                      : format(value.low, unit) + " to " + format(value.high, unit);
    const bool has = v.reference.has_value();
    table +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", s.test,
                    what_was_measured(s), published, has ? limit(v.reference->typical, unit) : "-",
                    v.error ? fmt::format("{:+.1f} %", *v.error * 100) : "-",
                    has ? limit(v.reference->floor, unit) : "-",
                    has ? limit(v.reference->ceiling, unit) : "-", value.source, remark);
    if (v.error && value.gates) errors.push_back(std::abs(*v.error));
    if (!v.within && value.gates) ++outside;
  }
  std::sort(errors.begin(), errors.end());
  if (!errors.empty())
    table += fmt::format(
        "\n{} figures that enter the constants, each derived without itself: median error {:.1f} "
        "%, nine in "
        "ten below {:.1f} %, largest {:.0f} %; {} outside its floor and ceiling.\n",
        errors.size(), errors[errors.size() / 2] * 100, errors[errors.size() * 9 / 10] * 100,
        errors.back() * 100, outside);
  return table;
}

}  // namespace acceptance
