#pragma once
#include <compare>
#include <map>
#include <string>
#include <variant>

#include "suites/core/unit.h"

namespace acceptance {

/// A parameter's or an observation's value: a number in base units, or a word.
class Value {
 public:
  Value() = default;
  Value(double number) : value_(number) {}
  Value(const char* word) : value_(std::string(word)) {}
  Value(std::string word) : value_(std::move(word)) {}

  bool is_number() const { return std::holds_alternative<double>(value_); }
  /// Throws std::bad_variant_access when it is a word (number()) or a number (word()).
  double number() const { return std::get<double>(value_); }
  const std::string& word() const { return std::get<std::string>(value_); }
  bool operator==(const Value&) const = default;

 private:
  std::variant<double, std::string> value_ = 0.0;
};

/// One choice of every parameter of a test, by the parameter's name.
using Point = std::map<std::string, Value>;

/// For people: "8 MiB", "fp64".
std::string to_text(const Value& value, Unit unit);
/// For ids and keys, exact and without spaces: "message=8388608,memory=host".
std::string key(const Point& point);

inline namespace literals {
constexpr double operator""_KiB(unsigned long long n) { return static_cast<double>(n << 10); }
constexpr double operator""_MiB(unsigned long long n) { return static_cast<double>(n << 20); }
constexpr double operator""_GiB(unsigned long long n) { return static_cast<double>(n << 30); }
}  // namespace literals

}  // namespace acceptance
