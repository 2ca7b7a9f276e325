#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "runner/cli/commands.h"
#include "runner/version.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

constexpr int internal_error = 70;

int complain(const std::string& text) {
  fmt::print(stderr, "accept: {}\n", printable(text));
  return usage_error;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* c :
       app.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); }))
    names.push_back(c->get_name());
  return names;
}

/// "--profle" gets "did you mean --profile?".
std::string explain_extras(const CLI::App& app, const std::vector<std::string>& extras) {
  const std::string& first = extras.front();
  const std::string option = first.substr(0, first.find('='));
  std::vector<std::string> known;
  for (const CLI::App* c : app.get_subcommands())
    for (const CLI::Option* o : c->get_options())
      if (!o->get_positional()) known.push_back(o->get_name());
  return fmt::format("unknown {} '{}'{}", option.starts_with('-') ? "option" : "argument", option,
                     suggestion(option, known));
}

int main_of(int argc, char** argv) {
  CLI::App app{
      "accept: measures a GPU cluster, holds it against what it should deliver, and writes its "
      "passport",
      "accept"};
  app.set_version_flag("--version",
                       [] { return fmt::format("accept {} (build {})", version(), build_id()); });
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(
      "\nFirst steps:  accept init, accept expect, accept run --nodes all\nExit status:  0 "
      "accepted, "
      "1 rejected, 2 incomplete, 64 bad usage");
  Action action;
  for (const auto add : {add_run, add_plan, add_init, add_expect, add_list, add_probe, add_measure,
                         add_judge, add_compare, add_report, add_worker})
    add(app, action);
  if (argc > 1 && argv[1][0] != '-')
    if (const auto names = command_names(app);
        std::string_view(argv[1]) != "worker" &&
        std::find(names.begin(), names.end(), argv[1]) == names.end())
      return complain(fmt::format("unknown command '{}'{}", argv[1], suggestion(argv[1], names)));
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::ExtrasError&) {
    return complain(explain_extras(app, app.remaining(true)));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    return complain(argc == 1 ? "a command is needed; accept --help lists them" : e.what());
  } catch (const std::invalid_argument& e) {
    return complain(e.what());
  } catch (const std::exception& e) {
    fmt::print(stderr, "accept: {}\n", e.what());
    return internal_error;
  }
}

}  // namespace
}  // namespace acceptance

int main(int argc, char** argv) {
  // A file opened later must not become standard output because that was closed.
  for (int fd = 0; fd <= STDERR_FILENO;) {
    fd = ::open("/dev/null", O_RDWR);
    if (fd < 0) return acceptance::internal_error;
    if (fd > STDERR_FILENO) ::close(fd);
  }
  return acceptance::main_of(argc, argv);
}
