#include <fmt/format.h>

#include "runner/cli/commands.h"
#include "runner/cli/comparison.h"
#include "suites/core/text.h"

namespace acceptance {

int print_comparison(const std::filesystem::path& before, const std::filesystem::path& after,
                     const std::filesystem::path& folder, bool quiet) {
  const Json c = make_comparison(read_run(before), read_run(after));
  if (!folder.empty())
    for (const char* format : {"json", "md", "html"})
      write_file(folder / (std::string("comparison.") + format), write_comparison(c, format));
  fmt::print("{}{}\n", c.at("verdict").get<std::string>(),
             c.at("simulated").get<bool>() ? " (SIMULATED)" : "");
  if (quiet) return comparison_status(c);
  fmt::print("{}\n", printable(comparison_sentence(c)));
  constexpr std::size_t most = 12;
  const auto lines = moved_sentences(c);
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
    fmt::print("  {}\n", printable(lines[i]));
  if (lines.size() > most) fmt::print("  and {} more\n", lines.size() - most);
  for (const Json& note : c.at("differences"))
    fmt::print("  note: {}\n", printable(note.get<std::string>()));
  if (!c.at("not_compared").empty())
    fmt::print("  not compared: {} kind(s) of measurement, see comparison.md\n",
               c.at("not_compared").size());
  if (!folder.empty()) fmt::print("comparison: {}\n", (folder / "comparison.html").string());
  return comparison_status(c);
}

void add_compare(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand(
      "compare", "say what got worse from one run to another, as after a firmware update");
  auto before = std::make_shared<std::filesystem::path>();
  auto after = std::make_shared<std::filesystem::path>();
  auto format = std::make_shared<std::string>();
  auto quiet = std::make_shared<bool>(false);
  c->add_option("before", *before, "folder of the earlier run")->required()->type_name("BEFORE");
  c->add_option("after", *after,
                "folder of the later run; comparison.json, .md and .html are written into it")
      ->required()
      ->type_name("AFTER");
  c->add_option("--format", *format, "print json, md or html instead, and write nothing")
      ->type_name("NAME");
  c->add_flag("--quiet", *quiet, "print the verdict alone");
  c->callback([before, after, format, quiet, &action] {
    action = [before, after, format, quiet] {
      if (format->empty()) return print_comparison(*before, *after, *after, *quiet);
      const Json comparison = make_comparison(read_run(*before), read_run(*after));
      fmt::print("{}", write_comparison(comparison, *format));
      return comparison_status(comparison);
    };
  });
}

}  // namespace acceptance
