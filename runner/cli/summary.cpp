#include "runner/cli/summary.h"

#include <fmt/format.h>

#include "reports/passport/view.h"
#include "reports/verdict/absolute.h"
#include "runner/cli/progress.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

std::string coloured(const std::string& text, const std::string& verdict) {
  if (!Screen::now().colour) return text;
  const char* code = verdict == "REJECTED" ? "1;31" : verdict == "INCOMPLETE" ? "1;33" : "1;32";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace

int print_summary(const Json& passport, const std::filesystem::path& folder, bool quiet) {
  const auto verdict = passport.at("verdict").get<std::string>();
  const std::string stamp = passport.at("simulated").get<bool>() ? " (SIMULATED)" : "";
  if (quiet) {
    fmt::print("{}{}\n", verdict, stamp);
    return exit_status(verdict);
  }
  fmt::print("\n{}{}\n{}\n", coloured(verdict, verdict), stamp, verdict_sentence(passport));
  constexpr std::size_t most = 12;
  const auto list = attention(passport);
  for (std::size_t i = 0; i < std::min(most, list.size()); ++i) {
    const Json& f = *list[i].finding;
    const std::string point = at_text(f, definition_of(passport, f.at("test")));
    const auto test = f.at("test").get<std::string>();
    const bool planned = !test.starts_with("machine.") && !test.starts_with("rule.");
    fmt::print("  {}: {}{}{} on {}: {}\n", f.at("verdict").get<std::string>(), test,
               planned ? "" : " " + printable(f.at("metric").get<std::string>()),
               point.empty() ? "" : " (" + point + ")", printable(where_text(f.at("where"))),
               printable(f.at("reason").get<std::string>() + list[i].more_text()));
    if (const std::string c = culprits_text(f); !c.empty())
      fmt::print("    culprit: {}\n", printable(c));
    if (const auto r = f.at("remedy").get<std::string>(); !r.empty())
      fmt::print("    what to do: {}\n", printable(r));
  }
  if (list.size() > most) fmt::print("  and {} more\n", list.size() - most);
  if (const std::string pairs = pairs_sentence(passport); !pairs.empty()) fmt::print("{}\n", pairs);
  fmt::print("{}\n", printable(promise_sentence(passport)));
  if (const Json& share = passport.at("coverage").at("body_share"); !share.is_null())
    fmt::print("{} in all, measuring for {} of it\n",
               figure_text(passport.at("coverage").at("seconds"), "s"), figure_text(share, "1"));
  fmt::print("passport: {}\n", (folder / "passport.html").string());
  return exit_status(verdict);
}

}  // namespace acceptance
