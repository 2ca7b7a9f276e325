#include "suites/core/value.h"

#include <fmt/format.h>

namespace acceptance {

std::string to_text(const Value& value, Unit unit) {
  return value.is_number() ? format(value.number(), unit) : value.word();
}

std::string key(const Point& point) {
  std::string text;
  for (const auto& [name, value] : point) {
    if (!text.empty()) text += ',';
    text += value.is_number() ? fmt::format("{}={}", name, value.number())
                              : fmt::format("{}={}", name, value.word());
  }
  return text;
}

}  // namespace acceptance
