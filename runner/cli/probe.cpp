#include "suites/inventory/probe.h"

#include <fmt/format.h>

#include "reports/passport/view.h"
#include "runner/cli/commands.h"
#include "suites/core/json.h"

namespace acceptance {

void add_probe(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand("probe", "what this machine is made of");
  auto json = std::make_shared<bool>(false);
  c->add_flag("--json", *json, "as JSON");
  c->callback([json, &action] {
    action = [json] {
      const Json node = probe();
      if (*json)
        fmt::print("{}\n", dump(node, 2));
      else
        for (const auto& [what, value] : inventory_rows(node))
          fmt::print("{:<24} {}\n", what, value);
      return 0;
    };
  });
}

}  // namespace acceptance
