#include <fmt/format.h>

#include "reports/passport/passport.h"
#include "runner/cli/commands.h"

namespace acceptance {
namespace {

int report(const std::filesystem::path& folder, const std::string& format) {
  const auto file = folder / "passport.json";
  if (!std::filesystem::is_regular_file(file))
    throw std::invalid_argument(
        fmt::format("{} is no run folder with a passport: it has no passport.json; a run that "
                    "was stopped gets one with accept judge",
                    folder.string()));
  Json passport;
  try {
    passport = Json::parse(read_file(file));
    fmt::print("{}", write_passport(passport, format));
  } catch (const Json::exception& e) {
    throw std::invalid_argument(fmt::format("{}: {}", file.string(), e.what()));
  }
  return 0;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand("report", "print the passport of a run in another format");
  auto folder = std::make_shared<std::filesystem::path>();
  auto format = std::make_shared<std::string>("md");
  c->add_option("run", *folder, "folder of a run")->required()->type_name("RUN");
  c->add_option("--format", *format, "json, md or html")->capture_default_str()->type_name("NAME");
  c->callback([folder, format, &action] {
    action = [folder, format] { return report(*folder, *format); };
  });
}

}  // namespace acceptance
