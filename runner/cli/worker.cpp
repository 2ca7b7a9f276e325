#include "runner/worker/worker.h"

#include <fmt/format.h>

#include "runner/cli/commands.h"
#include "runner/worker/sweep.h"

namespace acceptance {
namespace {

struct WorkerOptions {
  bool from_input = false;
  std::string run, sweep, target;
};

int sweep_here(const WorkerOptions& o) {
  const std::vector<std::string> left = sweep(o.run, o.sweep, o.target);
  for (const std::string& line : left) fmt::print("{}\n", line);
  return left.empty() ? 0 : 1;
}

}  // namespace

void add_worker(CLI::App& app, Action& action) {
  CLI::App* c =
      app.add_subcommand("worker", "what run starts on the nodes; not for people")->group("");
  auto o = std::make_shared<WorkerOptions>();
  c->add_flag("--contact-from-input", o->from_input,
              "read the contact's variables from standard input");
  c->add_option("--run", o->run, "tag of the run it belongs to")->required();
  c->add_option("--sweep", o->sweep, "end and remove what the run left on this node, of this name");
  c->add_option("--target", o->target, "where its scratch folders are");
  c->callback([o, &action] {
    action = [o] {
      if (!o->sweep.empty()) return sweep_here(*o);
      if (o->from_input) take_contact_from_input();
      return work();
    };
  });
}

}  // namespace acceptance
