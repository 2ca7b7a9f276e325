#include "runner/cli/commands.h"
#include "runner/cli/summary.h"
#include "runner/session.h"

namespace acceptance {

void add_judge(CLI::App& app, Action& action) {
  CLI::App* c =
      app.add_subcommand("judge", "judge the records of a run again, and write its passport anew");
  auto folder = std::make_shared<std::filesystem::path>();
  auto quiet = std::make_shared<bool>(false);
  c->add_option("run", *folder, "folder of a run")->required()->type_name("RUN");
  c->add_flag("--quiet", *quiet, "print the verdict alone");
  c->callback([folder, quiet, &action] {
    action = [folder, quiet] {
      return print_summary(judge_and_write(*folder, true), *folder, *quiet);
    };
  });
}

}  // namespace acceptance
