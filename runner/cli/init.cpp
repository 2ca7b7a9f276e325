#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/cluster/cluster_file.h"
#include "reports/cluster/draft.h"
#include "reports/verdict/preflight.h"
#include "reports/verdict/rules.h"
#include "runner/cli/allocate.h"
#include "runner/cli/commands.h"
#include "runner/cli/options.h"
#include "runner/cli/progress.h"
#include "runner/launch/process.h"
#include "suites/core/node_set.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

constexpr const char* slurm_topology = "/etc/slurm/topology.conf";
constexpr double answer_within_seconds = 60;
constexpr std::size_t most_wiring_bytes = std::size_t{256} << 20;

struct InitOptions {
  SessionOptions session;
  std::string preset, server, name, slurm_file, ib_file, lldp_file, from;
  fs::path output = "cluster.yaml";
  bool force = false;
};

/// Leaves from the first source that tells any: named files, Slurm's, the fabric itself.
void find_leaves(const InitOptions& o, DraftFacts& facts) {
  const auto take = [&](Leaves leaves, const std::string& from) {
    if (!facts.leaves.empty() || leaves.empty()) return;
    facts.leaves = std::move(leaves);
    facts.leaves_from = from;
  };
  if (!o.lldp_file.empty())
    take(leaves_of_lldp(read_file(o.lldp_file, most_wiring_bytes)), o.lldp_file);
  if (!o.ib_file.empty())
    take(leaves_of_ibnetdiscover(read_file(o.ib_file, most_wiring_bytes)), o.ib_file);
  if (!o.slurm_file.empty())
    take(leaves_of_slurm(read_file(o.slurm_file, most_wiring_bytes)), o.slurm_file);
  else if (fs::is_regular_file(slurm_topology))
    take(leaves_of_slurm(read_file(slurm_topology, most_wiring_bytes)), slurm_topology);
  if (facts.leaves.empty())
    if (const Answer a = ask({{"ibnetdiscover"}, {}}, answer_within_seconds); a.ok())
      take(leaves_of_ibnetdiscover(a.output), "ibnetdiscover");
}

void write_new(const InitOptions& o, const std::string& text) {
  if (fs::exists(o.output) && !o.force)
    throw std::invalid_argument(fmt::format(
        "{} is there already; name another with --output, or --force", o.output.string()));
  write_file(o.output, text);
}

int init(const InitOptions& o) {
  if (!o.preset.empty()) {
    write_new(o, preset(o.preset));
    fmt::print(
        "{} written from preset {}; put your names into it, then\n  accept expect --topology {}\n",
        o.output.string(), o.preset, o.output.string());
    return 0;
  }
  if (fs::exists(o.output) && !o.force) write_new(o, "");  // complains before the nodes are asked
  const Catalogue catalogue = load_catalogue(o.session.catalogue);
  DraftFacts facts;
  std::vector<Node> nodes;
  if (!o.from.empty()) {
    nodes = read_run(o.from).nodes;
  } else {
    allocate_if_needed(o.session);
    if (const std::optional<int> status = supervise_if_needed()) return *status;
    const NodeChoice choice = choose_nodes(o.session.where);
    if (choice.engine == Engine::slurm) facts.scheduler = "slurm";
    if (choice.engine == Engine::ssh) facts.scheduler = "ssh";
    Progress progress(false);
    nodes = probe_nodes(o.session, progress);
    for (const std::string& name : choice.names)
      if (std::none_of(nodes.begin(), nodes.end(), [&](const Node& n) { return n.name == name; }))
        facts.silent.push_back(name);
  }
  if (nodes.empty()) throw std::runtime_error("no node could be probed");
  facts.name = o.name.empty() ? local_name() : o.name;
  facts.partition = o.session.where.partition;
  facts.server = o.server;
  find_leaves(o, facts);
  const std::string text = draft_cluster(nodes, facts, catalogue);
  const Cluster cluster = parse_cluster(text, o.output.string(), catalogue);
  write_new(o, text);
  fmt::print("{}: {} node(s) in {} group(s)\n", o.output.string(), nodes.size(),
             cluster.groups.size());
  if (!facts.silent.empty())
    fmt::print("not answered: {}; they are promised all the same\n", fold_node_set(facts.silent));
  std::vector<Finding> findings = judge_drift(cluster, nodes, catalogue);
  for (Finding& f : judge_build(nodes, catalogue)) findings.push_back(std::move(f));
  for (const Finding& f : findings) fmt::print("{}: {}\n", name(f.verdict), printable(one_line(f)));
  fmt::print("look through it, then\n  accept expect --topology {0}\n  accept run --topology {0}\n",
             o.output.string());
  return 0;
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  CLI::App* c = app.add_subcommand(
      "init", "draft cluster.yaml, the promise, from what the nodes say or from a preset");
  auto o = std::make_shared<InitOptions>();
  add_node_selection(*c, o->session);
  c->add_option("--preset", o->preset,
                "instead of asking nodes: " + fmt::format("{}", fmt::join(preset_names(), ", ")))
      ->type_name("NAME");
  c->add_option("--from", o->from, "instead of asking nodes: a run's folder")->type_name("RUN");
  c->add_option("--server", o->server, "model of the servers, where their firmware doesn't tell")
      ->type_name("NAME");
  c->add_option("--name", o->name, "of the cluster")->type_name("NAME");
  c->add_option("--slurm-topology", o->slurm_file, "Slurm's topology.conf")->type_name("FILE");
  c->add_option("--ibnetdiscover", o->ib_file, "what ibnetdiscover printed")->type_name("FILE");
  c->add_option("--lldp", o->lldp_file,
                "lldpctl -f keyvalue of the nodes, each line with its node's name in front")
      ->type_name("FILE");
  c->add_option("--output", o->output, "file to write")->type_name("FILE")->capture_default_str();
  c->add_flag("--force", o->force, "write over a file that is there");
  c->callback([o, &action] {
    o->session.arguments = command_line();
    o->session.no_topology = true;
    action = [o] { return init(*o); };
  });
}

}  // namespace acceptance
