#pragma once
#include <string>
#include <string_view>

namespace acceptance {

/// What a number means. Values are always in the SI base unit named here; prefixes exist only in
/// unit.cpp.
enum class Unit {
  text,  ///< a word, not a number
  count,
  ratio,  ///< 1.0 = 100 %
  bytes,
  seconds,
  bytes_per_second,
  flop_per_second,
  per_second,
  hertz,
  celsius,
  watts,
};

struct Quantity {
  double value = 0;
  Unit unit = Unit::count;
};

/// The base unit's symbol as written in files: "B/s", "FLOP/s", "s"; empty for text and count.
std::string_view symbol(Unit unit);
/// Inverse of symbol(). Throws std::invalid_argument on an unknown symbol.
Unit unit_of_symbol(std::string_view symbol);

/// A figure for people, three significant digits and a prefix: "47.5 GB/s", "8 MiB", "1.23 us".
/// Whole sizes in bytes get binary prefixes, everything else decimal ones. Not finite: "n/a".
std::string format(double value, Unit unit);

/// Reads "400 Gbit/s", "8MiB", "2.5 us", "12 GFLOP/s", "95 %". Throws std::invalid_argument saying
/// what was expected.
Quantity parse_quantity(std::string_view text);

/// Like parse_quantity, and the dimension must be `wanted`; a bare number is taken in the base
/// unit.
double parse_value(std::string_view text, Unit wanted);

}  // namespace acceptance
