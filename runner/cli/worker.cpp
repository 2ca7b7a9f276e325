#include "runner/worker/worker.h"

#include "runner/cli/commands.h"

namespace acceptance {

void add_worker(CLI::App& app, Action& action) {
  CLI::App* c =
      app.add_subcommand("worker", "what run starts on the nodes; not for people")->group("");
  auto from_input = std::make_shared<bool>(false);
  c->add_flag("--contact-from-input", *from_input,
              "read the contact's variables from standard input");
  c->callback([from_input, &action] {
    action = [from_input] {
      if (*from_input) take_contact_from_input();
      return work();
    };
  });
}

}  // namespace acceptance
