#include "reports/reference/expect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/cluster/cluster_file.h"
#include "reports/reference/derive.h"
#include "reports/verdict/rules.h"
#include "runner/cli/commands.h"
#include "suites/core/json.h"

namespace acceptance {
namespace {

struct ExpectOptions {
  std::string topology, preset, node, fabric, catalogue;
  int nodes = 1;
  bool json = false, published = false;
};

Cluster asked_for(const ExpectOptions& o, const Catalogue& catalogue) {
  if (!o.node.empty()) return imagined_cluster(o.node, o.nodes, o.fabric, catalogue);
  if (!o.preset.empty()) return parse_cluster(preset(o.preset), "preset " + o.preset, catalogue);
  if (!o.topology.empty()) return read_cluster(o.topology, catalogue);
  if (std::filesystem::exists("cluster.yaml")) return read_cluster("cluster.yaml", catalogue);
  throw std::invalid_argument(
      "there is no cluster.yaml here; name one (--topology FILE), a preset (--preset NAME), or a "
      "server (--node NAME --nodes N --fabric NAME)");
}

std::string limit(const std::optional<double>& value, Unit unit) {
  return value ? format(*value, unit) : "-";
}

std::string point_words(const Expected& e) {
  std::vector<std::string> words;
  const Test* test = known_test(e.test);
  for (const auto& [name, value] : e.point) {
    Unit unit = Unit::text;
    for (const Parameter& p : test ? test->params : std::vector<Parameter>{})
      if (p.name == name) unit = p.unit;
    words.push_back(to_text(value, unit));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

void print_table(const Cluster& cluster, const std::vector<Expected>& all,
                 const std::vector<Finding>& rules) {
  fmt::print("{}: {} node(s)\n\n{:<68} {:>13} {:>13} {:>13}\n", cluster.name,
             node_names(cluster).size(), "", "floor", "typical", "ceiling");
  std::string where;
  std::vector<std::pair<std::string, std::string>> derivations;  // text, for what
  for (const Expected& e : all) {
    if (e.where != where) fmt::print("{}\n", where = e.where);
    const std::string what = fmt::format("{}.{} {}", e.test, e.metric, point_words(e));
    fmt::print("  {:<66} {:>13} {:>13} {:>13}\n", what, limit(e.reference.floor, e.unit),
               limit(e.reference.typical, e.unit), limit(e.reference.ceiling, e.unit));
    const std::string text =
        fmt::format("{}\n    source: {}", e.reference.derivation, e.reference.source);
    const auto same = std::find_if(derivations.begin(), derivations.end(),
                                   [&](const auto& d) { return d.first == text; });
    if (same == derivations.end())
      derivations.emplace_back(text, what + ", " + e.where);
    else
      same->second += "; " + what + ", " + e.where;
  }
  fmt::print("\nHow they come about:\n");
  for (const auto& [text, what] : derivations) fmt::print("- {}:\n    {}\n", what, text);
  for (const Finding& f : rules)
    fmt::print("\n{}: {}: {}\n  what to do: {}\n", name(f.verdict), f.test, f.reason, f.remedy);
}

void print_json(const Cluster& cluster, const std::vector<Expected>& all,
                const std::vector<Finding>& rules) {
  Json j{{"format", "accept.expect/1"},
         {"cluster", cluster.name},
         {"figures", Json::array()},
         {"rules", rules}};
  for (const Expected& e : all)
    j["figures"].push_back({{"test", e.test},
                            {"metric", e.metric},
                            {"point", e.point},
                            {"where", e.where},
                            {"unit", symbol(e.unit)},
                            {"reference", e.reference}});
  fmt::print("{}\n", dump(j, 2));
}

int expect(const ExpectOptions& o) {
  const Catalogue catalogue = load_catalogue(o.catalogue);
  if (o.published) {
    fmt::print("{}", published_table(catalogue));
    return 0;
  }
  const Cluster cluster = asked_for(o, catalogue);
  const std::vector<Expected> all = expectations(cluster, catalogue);
  const std::vector<Finding> rules = judge_promise(cluster, catalogue);
  if (o.json)
    print_json(cluster, all, rules);
  else
    print_table(cluster, all, rules);
  return 0;
}

}  // namespace

void add_expect(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand(
      "expect", "what a cluster should deliver, and how that follows; nothing is run");
  auto o = std::make_shared<ExpectOptions>();
  c->add_option("--topology", o->topology, "the promise (default: cluster.yaml here)")
      ->type_name("FILE");
  c->add_option("--preset", o->preset,
                "one of: " + fmt::format("{}", fmt::join(preset_names(), ", ")))
      ->type_name("NAME");
  c->add_option("--node", o->node, "a server of the catalogue, as if bought: dgx-h200")
      ->type_name("NAME");
  c->add_option("--nodes", o->nodes, "how many of them")->capture_default_str();
  c->add_option("--fabric", o->fabric, "that joins them: ndr, roce-400, …")->type_name("NAME");
  c->add_option("--catalogue", o->catalogue, "folder whose files take the place of the catalogue's")
      ->type_name("DIR");
  c->add_flag("--published", o->published,
              "every published figure of the catalogue beside the one derived without it");
  c->add_flag("--json", o->json, "as JSON");
  c->callback([c, o, &action] {
    if (o->node.empty() && (c->count("--nodes") > 0 || c->count("--fabric") > 0))
      throw CLI::ValidationError("--nodes, --fabric", "need --node");
    if (int(!o->node.empty()) + int(!o->preset.empty()) + int(!o->topology.empty()) > 1)
      throw CLI::ValidationError("--topology, --preset, --node", "exclude one another");
    action = [o] { return expect(*o); };
  });
}

}  // namespace acceptance
