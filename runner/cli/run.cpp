#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "runner/cli/commands.h"
#include "runner/cli/options.h"
#include "runner/cli/progress.h"
#include "runner/cli/summary.h"

namespace acceptance {
namespace {

constexpr int stopped_by_signal = 130;

/// With Slurm and outside an allocation: starts the same command again inside one of its own, and
/// does not return. The allocation ends with the command, however that ends.
void allocate_if_needed(const SessionOptions& options) {
  if (!options.resume.empty()) return;
  const NodeChoice choice = choose_nodes(options.where);
  if (choice.engine != Engine::slurm || !choice.slurm.job.empty()) return;
  check_options(options);
  std::vector<std::string> own = command_line();
  own[0] = std::filesystem::read_symlink("/proc/self/exe").string();
  become({salloc_words(choice.to_allocate, own), {{"ACCEPT_ALLOCATION", "1"}}});
}

/// salloc calls it a success when the command it runs is killed. So in an allocation of our own a
/// process that does nothing else stands between them. Nothing: this is the one to do the work.
std::optional<int> supervise_if_needed() {
  constexpr const char* mark = "ACCEPT_SUPERVISED";
  if (!std::getenv("ACCEPT_ALLOCATION")) return std::nullopt;
  if (std::getenv(mark)) {
    end_with_parent();
    return std::nullopt;
  }
  std::vector<std::string> own = command_line();
  own[0] = std::filesystem::read_symlink("/proc/self/exe").string();
  return follow({own, {{mark, "1"}}});
}

int run(const SessionOptions& options, bool quiet) {
  allocate_if_needed(options);
  if (const std::optional<int> status = supervise_if_needed()) return *status;
  SessionResult result;
  {
    Progress progress(quiet);
    result = run_session(options, progress);
  }
  if (!result.stopped) return print_summary(result.passport, result.folder, quiet);
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
  c->add_flag("--quiet", *quiet, "print the verdict alone");
  c->callback([c, options, quiet, &action] {
    if (c->get_option("--resume")->count() > 0 && options->resume.empty())
      throw CLI::ValidationError("--resume", "names no folder");
    if (!options->resume.empty())
      for (const CLI::Option* o : c->get_options())
        if (o->count() > 0 && o->get_name() != "--resume" && o->get_name() != "--quiet")
          throw CLI::ValidationError(o->get_name(),
                                     "a resumed run keeps the options it was begun with");
    if (options->output.empty()) options->output = default_output();
    options->arguments = command_line();
    action = [options, quiet] { return run(*options, *quiet); };
  });
}

}  // namespace acceptance
