#include <fmt/format.h>
#include <stdlib.h>

#include "reports/passport/view.h"
#include "reports/verdict/absolute.h"
#include "runner/cli/commands.h"
#include "runner/cli/options.h"
#include "runner/cli/progress.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

/// A folder for a run nobody wants to keep, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "accept-measure-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::map<std::string, std::string> fixed_points(const Test& test,
                                                const std::vector<std::string>& settings) {
  std::vector<std::string> names;
  for (const Parameter& p : test.params) names.push_back(p.name);
  std::map<std::string, std::string> fixed;
  for (const std::string& s : settings) {
    const auto equals = s.find('=');
    const std::string parameter = s.substr(0, equals);
    if (equals == std::string::npos)
      throw std::invalid_argument(fmt::format("'{}' is no setting; expected PARAMETER=VALUE", s));
    if (std::find(names.begin(), names.end(), parameter) == names.end())
      throw std::invalid_argument(fmt::format("{} has no parameter '{}'{}", test.name, parameter,
                                              suggestion(parameter, names)));
    fixed[parameter] = s.substr(equals + 1);
  }
  return fixed;
}

void print_figures(const Json& passport) {
  for (const FigureGroup& g : figure_groups(passport))
    for (const Json* f : g.findings) {
      const Json& m = f->at("measured");
      fmt::print("{:<44} {:<10} {:>14}  ({} samples, 95 % {} to {})\n", at_text(*f, *g.definition),
                 g.metric, figure_text(m.at("value"), g.unit), m.at("samples").get<long>(),
                 figure_text(m.at("low"), g.unit), figure_text(m.at("high"), g.unit));
    }
  for (const auto& [f, more] : attention(passport))
    fmt::print("{} {}: {}\n", f->at("verdict").get<std::string>(), f->at("test").get<std::string>(),
               printable(f->at("reason").get<std::string>()));
}

int measure(SessionOptions options, const std::string& name,
            const std::vector<std::string>& settings) {
  const Test* test = find_test(name);
  if (!test) {
    std::vector<std::string> names;
    for (const Test& t : tests()) names.push_back(t.name);
    throw std::invalid_argument(fmt::format("unknown test '{}'{}", name, suggestion(name, names)));
  }
  options.request.tests = {name};
  options.arguments = command_line();
  options.request.once = true;
  options.request.fixed = fixed_points(*test, settings);
  std::optional<TemporaryFolder> temporary;
  if (options.output.empty()) {
    temporary.emplace();
    options.output = temporary->path();
  }
  SessionResult result;
  {
    Progress progress(true);
    result = run_session(std::move(options), progress);
  }
  if (result.stopped) return 130;
  print_figures(result.passport);
  return exit_status(result.passport.at("verdict").get<std::string>());
}

}  // namespace

void add_measure(CLI::App& app, Action& action) {
  CLI::App* c =
      app.add_subcommand("measure", "one test by hand: accept measure TEST [PARAMETER=VALUE …]");
  auto options = std::make_shared<SessionOptions>();
  options->request.profile = Profile::quick;
  auto test = std::make_shared<std::string>();
  auto settings = std::make_shared<std::vector<std::string>>();
  c->add_option("test", *test, "name of a test")->required()->type_name("TEST");
  c->add_option("settings", *settings,
                "values of its parameters; those not named take all of the quick profile's")
      ->type_name("PARAMETER=VALUE");
  c->add_option("--nodes", options->where.nodes, "this or other nodes, as for run")
      ->capture_default_str();
  c->add_option("--output", options->output, "keep the run in this folder")->type_name("DIR");
  c->add_option("--target", options->target, "folder on the storage to be tested")
      ->type_name("DIR");
  c->callback([options, test, settings, &action] {
    action = [options, test, settings] { return measure(*options, *test, *settings); };
  });
}

}  // namespace acceptance
