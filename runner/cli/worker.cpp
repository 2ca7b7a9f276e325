#include "runner/worker/worker.h"

#include "runner/cli/commands.h"

namespace acceptance {

void add_worker(CLI::App& app, Action& action) {
  CLI::App* c =
      app.add_subcommand("worker", "what run starts on the nodes; not for people")->group("");
  c->callback([&action] { action = [] { return work(); }; });
}

}  // namespace acceptance
