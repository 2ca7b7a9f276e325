#include "reports/reference/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/reference/derive.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

std::string word(const Point& point, const char* name) {
  const auto found = point.find(name);
  return found == point.end() || found->second.is_number() ? "" : found->second.word();
}

double number(const Point& point, const char* name) {
  const auto found = point.find(name);
  return found == point.end() || !found->second.is_number() ? 0 : found->second.number();
}

/// Switches between these nodes; the most there may be where the leaves aren't told.
int hops_between(const Cluster& c, const std::vector<std::string>& nodes) {
  if (nodes.size() < 2 || c.fabric.shape == "single-switch") return 1;
  std::set<std::string> leaves;
  for (const std::string& n : nodes) leaves.insert(leaf_of(c, n));
  return leaves.size() == 1 && !leaves.begin()->empty() ? 1 : 3;
}

bool alike(const NodeGroup& a, const NodeGroup& b) {
  return a.gpu == b.gpu && a.gpus == b.gpus && a.rails.size() == b.rails.size() &&
         (a.rails.empty() || a.rails[0].rate == b.rails[0].rate);
}

void tolerate(const Cluster& c, const std::string& test, Reference& r, bool lower_is_better) {
  for (const auto& [what, ratio] : c.policy.tolerance)
    if (r.floor && ratio > 0 && glob(what, test)) {
      *r.floor *= lower_is_better ? 1 + ratio : 1 - ratio;
      r.derivation += fmt::format("; and {} tolerated by policy", format(ratio, Unit::ratio));
    }
}

bool lower_is_better(const std::string& metric) { return metric == "latency" || metric == "time"; }

/// Whether it can be told which of these nodes share a domain of several nodes: when one domain
/// holds all that were promised, or all take part and fill their domains.
bool placed(const Cluster& c, const NodeGroup& g, std::size_t nodes) {
  const std::size_t gpus = static_cast<std::size_t>(g.gpus),
                    domain = static_cast<std::size_t>(std::max(g.domain, g.gpus));
  const std::size_t promised = node_count(c);
  if (domain <= gpus || promised * gpus <= domain) return true;
  return nodes == promised && nodes * gpus % domain == 0;
}

/// What a storage target was promised to give one node, or all of them together.
std::optional<Reference> storage_promise(const Cluster& c, const std::string& test,
                                         const std::string& metric, const Point& point,
                                         std::size_t nodes) {
  // A checkpoint is one stream with its fsync: what a node reaches with many is no floor for it.
  if (c.storage.size() != 1 || metric != "rate" || test != "storage.sequential")
    return std::nullopt;
  const StoragePromise& s = c.storage[0];
  const bool reads = word(point, "direction") != "write";
  const double client = reads ? s.client_read : s.client_write, whole = reads ? s.read : s.write;
  double rate = client * static_cast<double>(nodes);
  if (rate <= 0 && nodes == node_count(c)) rate = whole;
  if (whole > 0) rate = std::min(rate, whole);
  if (rate <= 0) return std::nullopt;
  Reference r;
  r.floor = rate;
  r.authority = "promise";
  r.derivation = fmt::format("floor {} = what storage {} was promised to {} for {} node(s)",
                             rate_text(rate), s.name, reads ? "read" : "write", nodes);
  r.source = "cluster.yaml";
  return r;
}

}  // namespace

std::optional<Setup> setup_for(const Cluster& c, const std::string& test, const std::string& metric,
                               const Point& point, const std::vector<std::string>& nodes) {
  if (nodes.empty()) return std::nullopt;
  const NodeGroup* g = group_of(c, nodes[0]);
  if (!g) return std::nullopt;
  for (const std::string& n : nodes) {
    const NodeGroup* other = group_of(c, n);
    if (!other || (other != g && !alike(*g, *other))) return std::nullopt;
  }
  Setup s;
  s.test = test;
  s.metric = metric;
  s.gpu = g->gpu;
  s.gpus = g->gpus;
  s.nodes = static_cast<int>(nodes.size());
  s.domain = g->domain;
  s.rails = static_cast<int>(g->rails.size());
  s.rate = g->rails.empty() ? c.fabric.rate : g->rails[0].rate;
  s.fabric = c.fabric.kind;
  s.placed = placed(c, *g, nodes.size());
  s.hops = hops_between(c, nodes);
  s.oversubscription = s.hops > 1 ? c.fabric.oversubscription : 1;
  s.in_network_reduction = c.fabric.in_network_reduction;
  s.algorithm = word(point, "algorithm");
  s.precision = word(point, "precision");
  s.kernel = word(point, "kernel");
  s.direction = word(point, "direction");
  s.memory = word(point, "memory");
  s.message = number(point, "message");
  s.streams = static_cast<int>(number(point, "streams"));
  return s;
}

bool speaks_of(const ContractFigure& f, const Cluster& c, const std::string& test,
               const std::string& metric, const Point& point,
               const std::vector<std::string>& nodes) {
  if (f.test != test || f.metric != metric) return false;
  if (f.nodes && static_cast<std::size_t>(*f.nodes) != nodes.size()) return false;
  if (f.all_nodes && nodes.size() != node_count(c)) return false;
  return std::all_of(f.point.begin(), f.point.end(), [&](const auto& wanted) {
    const auto found = point.find(wanted.first);
    return found != point.end() && found->second == wanted.second;
  });
}

namespace {

const ContractFigure* strictest(const Cluster& c, const std::string& test,
                                const std::string& metric, const Point& point,
                                const std::vector<std::string>& nodes) {
  const ContractFigure* found = nullptr;
  for (const ContractFigure& f : c.contract) {
    if (!speaks_of(f, c, test, metric, point, nodes)) continue;
    if (!found || (f.at_least ? f.value > found->value : f.value < found->value)) found = &f;
  }
  return found;
}

/// The floor of the contract on top of what else is known.
Reference by_contract(const ContractFigure& f, Reference r) {
  r.floor = f.value;
  r.authority = "contract";
  r.derivation = fmt::format("floor {} = contract, {}{}{}", format(f.value, f.unit), f.key,
                             r.derivation.empty() ? "" : "; besides: ", r.derivation);
  r.source += r.source.empty() ? "cluster.yaml" : "; cluster.yaml";
  if (r.ceiling && (f.at_least ? f.value > *r.ceiling : f.value < *r.ceiling)) {
    r.ceiling.reset();
    r.derivation += "; it asks for more than the derived ceiling, which does not count";
  }
  return r;
}

}  // namespace

std::optional<Reference> promised_reference(const Cluster& c, const Catalogue& catalogue,
                                            const std::string& test, const std::string& metric,
                                            const Point& point,
                                            const std::vector<std::string>& nodes) {
  std::optional<Reference> r;
  if (const auto setup = setup_for(c, test, metric, point, nodes)) r = derive(catalogue, *setup);
  if (r) {
    r->authority = "derived";
    tolerate(c, test, *r, lower_is_better(metric));
  }
  if (auto promise = storage_promise(c, test, metric, point, nodes.size())) {
    if (r) promise->ceiling = r->ceiling;
    r = promise;
  }
  if (const ContractFigure* f = strictest(c, test, metric, point, nodes))
    r = by_contract(*f, r.value_or(Reference{}));
  return r;
}

const std::vector<TrainingState>& training_states() {
  constexpr double bytes_per_parameter = 14;
  static const std::vector<TrainingState> states{{"8B", 8e9 * bytes_per_parameter},
                                                 {"70B", 70e9 * bytes_per_parameter},
                                                 {"405B", 405e9 * bytes_per_parameter}};
  return states;
}

namespace {

/// Collects what is expected of one cluster.
class Expectations {
 public:
  Expectations(const Cluster& cluster, const Catalogue& catalogue)
      : c_(cluster), catalogue_(catalogue) {}

  std::vector<Expected> all() {
    for (const NodeGroup& g : c_.groups) of_group(g);
    whole_cluster();
    for (const StoragePromise& s : c_.storage) checkpoints(s);
    contract();
    return std::move(all_);
  }

 private:
  void add(const std::string& test, const std::string& metric, const Point& point,
           const std::vector<std::string>& nodes, const std::string& where, Unit unit) {
    if (const ContractFigure* f = strictest(c_, test, metric, point, nodes)) governing_.insert(f);
    if (auto r = promised_reference(c_, catalogue_, test, metric, point, nodes))
      all_.push_back({test, metric, where, point, unit, std::move(*r)});
  }

  void of_group(const NodeGroup& g) {
    const std::vector<std::string> one{g.nodes.front()};
    const std::string where = "each node of " + g.name;
    const Unit rate = Unit::bytes_per_second;
    if (const auto gpu = catalogue_.gpus.find(g.gpu); gpu != catalogue_.gpus.end() && g.gpus > 0) {
      const std::string each = "each GPU of " + g.name;
      for (const auto& [type, peak] : gpu->second.peak)
        add("compute.gpu_gemm", "rate", {{"precision", type}}, one, each, Unit::flop_per_second);
      for (const char* kernel : {"copy", "triad"})
        add("compute.gpu_memory_bandwidth", "rate", {{"kernel", kernel}}, one, each, rate);
      for (const char* way : {"host-to-device", "device-to-host"})
        add("interconnect.host_device_copy", "bandwidth", {{"direction", way}}, one, each, rate);
      if (g.gpus > 1) {
        for (const char* way : {"one", "both"})
          add("interconnect.peer_copy", "bandwidth", {{"direction", way}}, one,
              "each GPU pair of " + g.name, rate);
        collectives(one, where);
      }
    }
    const std::vector<std::string> pair(
        g.nodes.begin(), g.nodes.begin() + std::min<std::ptrdiff_t>(2, std::ssize(g.nodes)));
    if (pair.size() == 2 && (c_.fabric.kind == "infiniband" || c_.fabric.kind == "roce"))
      rdma(pair, g.name);
    if (pair.size() == 2 && c_.fabric.kind == "ethernet")
      add("interconnect.tcp_bandwidth", "bandwidth", {{"streams", 8.0}}, pair,
          "each node pair of " + g.name, rate);
  }

  void collectives(const std::vector<std::string>& nodes, const std::string& where) {
    for (const char* op : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"})
      for (const double message : {1_GiB, 8_GiB})
        add(fmt::format("interconnect.nccl_{}", op), "busbw", {{"message", message}}, nodes, where,
            Unit::bytes_per_second);
  }

  void rdma(const std::vector<std::string>& pair, const std::string& group) {
    const std::string where = "each rail of each node pair of " + group;
    for (const char* op : {"write", "send", "read"})
      add(fmt::format("interconnect.rdma_{}_latency", op), "latency", {{"message", 8.0}}, pair,
          where, Unit::seconds);
    for (const char* way : {"one", "both"})
      add("interconnect.rdma_write_bandwidth", "bandwidth",
          {{"message", 8_MiB}, {"memory", "host"}, {"direction", way}}, pair, where,
          Unit::bytes_per_second);
  }

  void whole_cluster() {
    const std::vector<std::string> names = node_names(c_);
    if (names.size() < 2) return;
    if (c_.groups.front().gpus > 0) collectives(names, fmt::format("all {} nodes", names.size()));
    add("storage.sequential", "rate", {{"direction", "read"}}, names,
        fmt::format("all {} nodes", names.size()), Unit::bytes_per_second);
    add("storage.sequential", "rate", {{"direction", "write"}}, names,
        fmt::format("all {} nodes", names.size()), Unit::bytes_per_second);
  }

  void checkpoints(const StoragePromise& s) {
    if (s.write <= 0 && s.client_write <= 0) return;
    const double nodes = static_cast<double>(node_names(c_).size());
    const double rate = s.write > 0 ? s.write : s.client_write * nodes;
    for (const TrainingState& state : training_states()) {
      Reference r;
      r.typical = state.bytes / rate;
      r.authority = "promise";
      r.derivation = fmt::format("{} ({} parameters × 14 B) / {} written by all nodes",
                                 format(state.bytes, Unit::bytes), state.name, rate_text(rate));
      r.source = "cluster.yaml";
      all_.push_back({"storage.checkpoint_save",
                      "time",
                      "all nodes to " + s.name,
                      {{"model", state.name}},
                      Unit::seconds,
                      r});
    }
  }

  /// Figures of the contract that govern none of the points above.
  void contract() {
    for (const ContractFigure& f : c_.contract)
      if (!governing_.count(&f))
        all_.push_back({f.test, f.metric, f.all_nodes ? "all nodes" : "where it is measured",
                        f.point, f.unit, by_contract(f, {})});
  }

  const Cluster& c_;
  const Catalogue& catalogue_;
  std::vector<Expected> all_;
  std::set<const ContractFigure*> governing_;
};

}  // namespace

std::vector<Expected> expectations(const Cluster& cluster, const Catalogue& catalogue) {
  return Expectations(cluster, catalogue).all();
}

}  // namespace acceptance
