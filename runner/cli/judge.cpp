#include "runner/cli/commands.h"
#include "runner/cli/summary.h"
#include "runner/session.h"

namespace acceptance {

void add_judge(CLI::App& app, Action& action) {
  CLI::App* c =
      app.add_subcommand("judge", "judge the records of a run again, and write its passport anew");
  auto folder = std::make_shared<std::filesystem::path>();
  auto topology = std::make_shared<std::filesystem::path>();
  auto catalogue = std::make_shared<std::filesystem::path>();
  auto quiet = std::make_shared<bool>(false);
  c->add_option("run", *folder, "folder of a run")->required()->type_name("RUN");
  c->add_option("--topology", *topology, "another promise than the run's own")->type_name("FILE");
  c->add_option("--catalogue", *catalogue, "folder whose files take the place of the catalogue's")
      ->type_name("DIR");
  c->add_flag("--quiet", *quiet, "print the verdict alone");
  c->callback([folder, topology, catalogue, quiet, &action] {
    action = [folder, topology, catalogue, quiet] {
      return print_summary(judge_and_write(*folder, true, *topology, *catalogue), *folder, *quiet);
    };
  });
}

}  // namespace acceptance
