#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "runner/cli/allocate.h"
#include "runner/cli/commands.h"
#include "runner/cli/comparison.h"
#include "runner/cli/options.h"
#include "runner/cli/progress.h"
#include "runner/cli/summary.h"

namespace acceptance {
namespace {

constexpr int stopped_by_signal = 130;

int run(const SessionOptions& options, bool quiet) {
  if (!options.baseline.empty())
    read_run(options.baseline);  // what is wrong with it is said at once
  allocate_if_needed(options);
  if (const std::optional<int> status = supervise_if_needed()) return *status;
  SessionResult result;
  {
    Progress progress(quiet);
    result = run_session(options, progress);
  }
  if (!result.stopped) {
    const int status = print_summary(result.passport, result.folder, quiet);
    if (options.baseline.empty()) return status;
    fmt::print("\n");
    const int moved = print_comparison(options.baseline, result.folder, result.folder, quiet);
    return status == 1 || moved == 1 ? 1 : std::max(status, moved);
  }
  fmt::print("\nstopped; what was measured is kept. Go on with\n  accept run --resume {}\n",
             result.folder.string());
  return stopped_by_signal;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand("run", "measure, judge, and write the passport");
  auto options = std::make_shared<SessionOptions>();
  auto quiet = std::make_shared<bool>(false);
  add_selection(*c, *options);
  c->add_option("--output", options->output,
                "folder for the run, new or empty (default accept-DATE-TIME)")
      ->type_name("DIR");
  c->add_option("--target", options->target,
                "folder on the storage to be tested (default: under the output)")
      ->type_name("DIR");
  c->add_option("--resume", options->resume,
                "go on with the run in this folder, as it was asked for then")
      ->type_name("DIR");
  c->add_option("--repeat", options->request.repeat,
                "measure all of it this often, each time in new processes (3 for accept compare)")
      ->check(CLI::Range(1, 20))
      ->type_name("N");
  c->add_option("--baseline", options->baseline,
                "compare with the run in this folder afterwards (accept compare)")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  c->add_flag("--quiet", *quiet, "print the verdict alone");
  c->callback([c, options, quiet, &action] {
    if (c->get_option("--resume")->count() > 0 && options->resume.empty())
      throw CLI::ValidationError("--resume", "names no folder");
    if (!options->resume.empty())
      for (const CLI::Option* o : c->get_options())
        if (o->count() > 0 && o->get_name() != "--resume" && o->get_name() != "--quiet" &&
            o->get_name() != "--baseline")
          throw CLI::ValidationError(o->get_name(),
                                     "a resumed run keeps the options it was begun with");
    if (options->output.empty()) options->output = default_output();
    options->arguments = command_line();
    action = [options, quiet] { return run(*options, *quiet); };
  });
}

}  // namespace acceptance
