#include "suites/core/unit.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace acceptance {
namespace {

struct Base {
  Unit unit;
  std::string_view symbol;
};
constexpr std::array<Base, 11> bases{{{Unit::text, ""},
                                      {Unit::count, ""},
                                      {Unit::ratio, "1"},
                                      {Unit::bytes, "B"},
                                      {Unit::seconds, "s"},
                                      {Unit::bytes_per_second, "B/s"},
                                      {Unit::flop_per_second, "FLOP/s"},
                                      {Unit::per_second, "1/s"},
                                      {Unit::hertz, "Hz"},
                                      {Unit::celsius, "degC"},
                                      {Unit::watts, "W"}}};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr std::array<Prefix, 8> prefixes{{{"P", 1e15},
                                          {"T", 1e12},
                                          {"G", 1e9},
                                          {"M", 1e6},
                                          {"k", 1e3},
                                          {"m", 1e-3},
                                          {"u", 1e-6},
                                          {"n", 1e-9}}};
constexpr std::array<Prefix, 4> binary_prefixes{
    {{"Ti", 0x1p40}, {"Gi", 0x1p30}, {"Mi", 0x1p20}, {"Ki", 0x1p10}}};

std::string digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string with_prefix(double value, std::string_view base) {
  const double size = std::abs(value);
  // A value that would round up to 1000 of a prefix is written as 1 of the next.
  const bool divisible = !base.starts_with('B') && !base.starts_with("FLOP");
  for (const Prefix& p : prefixes)
    if (size >= p.factor * 0.9995 && (p.factor >= 1e3 || (divisible && size < 0.9995)))
      return fmt::format("{} {}{}", digits(value / p.factor), p.name, base);
  if (size >= 0.9995 || size == 0) return fmt::format("{} {}", digits(value), base);
  return fmt::format("{:.3g} {}", value, base);
}

std::string format_bytes(double value) {
  if (value == std::floor(value))
    for (const Prefix& p : binary_prefixes) {
      const double scaled = value / p.factor;
      if (std::abs(scaled) >= 1 && scaled == std::floor(scaled * 100) / 100)
        return fmt::format("{} {}B", digits(scaled), p.name);
      if (std::abs(scaled) >= 10) return fmt::format("{} {}B", digits(scaled), p.name);
    }
  if (std::abs(value) < 1000) return fmt::format("{} B", digits(value));
  return with_prefix(value, "B");
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

/// The factor and unit of a written unit such as "Gbit/s" or "MiB"; throws when it is none.
Quantity unit_named(std::string_view name) {
  if (name.empty()) return {1, Unit::count};
  if (name == "%") return {0.01, Unit::ratio};
  if (name == "min") return {60, Unit::seconds};
  if (name == "h") return {3600, Unit::seconds};
  struct Tail {
    std::string_view text;
    Quantity meaning;
  };
  static constexpr std::array<Tail, 12> tails{{{"bit/s", {0.125, Unit::bytes_per_second}},
                                               {"FLOP/s", {1, Unit::flop_per_second}},
                                               {"FLOPS", {1, Unit::flop_per_second}},
                                               {"OP/s", {1, Unit::flop_per_second}},
                                               {"B/s", {1, Unit::bytes_per_second}},
                                               {"1/s", {1, Unit::per_second}},
                                               {"/s", {1, Unit::per_second}},
                                               {"Hz", {1, Unit::hertz}},
                                               {"degC", {1, Unit::celsius}},
                                               {"B", {1, Unit::bytes}},
                                               {"W", {1, Unit::watts}},
                                               {"s", {1, Unit::seconds}}}};
  for (const auto& [text, meaning] : tails) {
    if (!name.ends_with(text)) continue;
    const std::string_view prefix = name.substr(0, name.size() - text.size());
    if (prefix.empty()) return meaning;
    const bool sized = meaning.unit == Unit::bytes || meaning.unit == Unit::bytes_per_second;
    for (const Prefix& p : binary_prefixes)
      if (p.name == prefix && sized) return {p.factor * meaning.value, meaning.unit};
    for (const Prefix& p : prefixes)
      if (p.name == prefix && !(sized && p.factor < 1))
        return {p.factor * meaning.value, meaning.unit};
    break;
  }
  throw std::invalid_argument(fmt::format(
      "unknown unit '{}'; known are B, s, B/s, bit/s, FLOP/s, 1/s, Hz, W, degC, % with prefixes",
      name));
}

}  // namespace

std::string_view symbol(Unit unit) {
  for (const Base& b : bases)
    if (b.unit == unit) return b.symbol;
  return "";
}

Unit unit_of_symbol(std::string_view symbol) {
  if (symbol.empty()) return Unit::count;
  for (const Base& b : bases)
    if (b.symbol == symbol) return b.unit;
  throw std::invalid_argument(fmt::format("unknown unit symbol '{}'", symbol));
}

std::string format(double value, Unit unit) {
  if (!std::isfinite(value)) return "n/a";
  switch (unit) {
    case Unit::text:
    case Unit::count:
      return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                                  : digits(value);
    case Unit::ratio: return fmt::format("{} %", digits(value * 100));
    case Unit::bytes: return format_bytes(value);
    case Unit::celsius: return fmt::format("{} degC", digits(value));
    case Unit::per_second: return with_prefix(value, "/s");
    default: return with_prefix(value, symbol(unit));
  }
}

Quantity parse_quantity(std::string_view text) {
  const std::string_view all = trim(text);
  double number = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), number);
  if (error != std::errc{} || !std::isfinite(number))
    throw std::invalid_argument(
        fmt::format("'{}' is no figure; expected a number and a unit, such as '47 GB/s'", text));
  const auto used = static_cast<std::size_t>(end - all.data());
  const Quantity unit = unit_named(trim(all.substr(used)));
  if (!std::isfinite(number * unit.value))
    throw std::invalid_argument(fmt::format("'{}' is too large to be a figure", text));
  return {number * unit.value, unit.unit};
}

double parse_value(std::string_view text, Unit wanted) {
  const Quantity q = parse_quantity(text);
  if (q.unit == wanted || q.unit == Unit::count) return q.value;
  throw std::invalid_argument(
      fmt::format("'{}' has the wrong dimension; expected a value in {}", text,
                  wanted == Unit::count ? "plain numbers" : symbol(wanted)));
}

}  // namespace acceptance
