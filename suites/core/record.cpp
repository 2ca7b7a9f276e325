#include "suites/core/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>

namespace acceptance {
namespace {
constexpr std::array<std::pair<Outcome, std::string_view>, 6> names{
    {{Outcome::ok, "ok"},
     {Outcome::skipped, "skipped"},
     {Outcome::failed, "failed"},
     {Outcome::timed_out, "timed_out"},
     {Outcome::interrupted, "interrupted"},
     {Outcome::error, "error"}}};
}

std::string_view name(Outcome outcome) {
  for (const auto& [o, word] : names)
    if (o == outcome) return word;
  return "error";
}

Outcome outcome_named(std::string_view word) {
  for (const auto& [o, text] : names)
    if (text == word) return o;
  throw std::invalid_argument(fmt::format("unknown outcome '{}'", word));
}

std::string Assignment::id() const {
  return fmt::format("{}@{}/{}/{}#{}", test, version, key(point), fmt::join(places, "+"), attempt);
}

}  // namespace acceptance
