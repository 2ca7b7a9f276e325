#include "suites/core/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>

namespace acceptance {
namespace {
constexpr std::array<std::pair<Outcome, std::string_view>, 6> outcomes{
    {{Outcome::ok, "ok"},
     {Outcome::skipped, "skipped"},
     {Outcome::failed, "failed"},
     {Outcome::timed_out, "timed_out"},
     {Outcome::interrupted, "interrupted"},
     {Outcome::error, "error"}}};
constexpr std::array<std::pair<Trouble, std::string_view>, 16> troubles{
    {{Trouble::none, ""},
     {Trouble::unreachable, "unreachable"},
     {Trouble::ssh_refused, "ssh refused"},
     {Trouble::no_command, "no such command"},
     {Trouble::other_build, "another build"},
     {Trouble::wrong_world, "wrong world"},
     {Trouble::dead_at_start, "dead at start"},
     {Trouble::late, "slow to answer"},
     {Trouble::died, "died"},
     {Trouble::silent, "silent"},
     {Trouble::hung, "hung"},
     {Trouble::out_of_memory, "out of memory"},
     {Trouble::disk_full, "disk full"},
     {Trouble::unkillable, "can't be killed"},
     {Trouble::left_alone, "left alone"},
     {Trouble::set_apart, "set apart"}}};
}  // namespace

std::string_view name(Outcome outcome) {
  for (const auto& [o, word] : outcomes)
    if (o == outcome) return word;
  return "error";
}

Outcome outcome_named(std::string_view word) {
  for (const auto& [o, text] : outcomes)
    if (text == word) return o;
  throw std::invalid_argument(fmt::format("unknown outcome '{}'", word));
}

std::string_view name(Trouble trouble) {
  for (const auto& [t, word] : troubles)
    if (t == trouble) return word;
  return "";
}

Trouble trouble_named(std::string_view word) {
  for (const auto& [t, text] : troubles)
    if (text == word) return t;
  throw std::invalid_argument(fmt::format("unknown trouble '{}'", word));
}

std::string Assignment::id() const {
  return fmt::format("{}@{}/{}/{}#{}", test, version, key(point), fmt::join(places, "+"), attempt);
}

}  // namespace acceptance
