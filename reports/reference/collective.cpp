#include <fmt/format.h>

#include <algorithm>

#include "reports/reference/derive.h"

namespace acceptance {
namespace {

/// The collective's setting: n ranks, `domain` of them within reach of one another without the
/// network, `links` and `network` one direction of one rank's links and of one domain's rails.
struct Setting {
  std::string operation;  ///< all_reduce, all_gather, …
  int n = 0, domain = 0, domains = 1;
  const GpuModel* gpu = nullptr;
  double links = 0, network = 0;
  double network_best =
      0;  ///< without oversubscription: rings cross it little, in one leaf nothing
  std::string links_text, network_text;
  bool over_pcie = false;
  int generation = 0;
};

std::optional<Setting> setting_of(const Catalogue& c, const Setup& s) {
  const auto gpu = c.gpus.find(s.gpu);
  Setting t;
  t.operation = s.test.substr(std::string("interconnect.nccl_").size());
  if (gpu == c.gpus.end() || s.gpus < 1 || s.nodes < 1 || s.gpus * s.nodes < 2) return std::nullopt;
  t.gpu = &gpu->second;
  t.n = s.gpus * s.nodes;
  t.domain = std::max(s.domain, s.gpus);
  t.domains = (t.n + t.domain - 1) / t.domain;
  const PeerLink* link = t.gpu->link ? &*t.gpu->link : nullptr;
  if (link) {
    t.links = link->one_way;
    // A mesh has a link to each peer; those to peers that aren't there carry nothing.
    if (link->topology == "mesh" && link->count > 0 && s.gpus > 1)
      t.links *= std::min(1.0, (s.gpus - 1.0) / link->count);
    t.links_text = fmt::format("{} {}", link->kind, rate_text(t.links));
    t.generation = link->generation;
  } else if (t.gpu->host && t.gpu->host->kind == "pcie") {
    t.over_pcie = true;
    t.links = pcie_payload_rate(t.gpu->host->generation, t.gpu->host->lanes);
    t.links_text = fmt::format("PCIe {}.0 x{} {}", t.gpu->host->generation, t.gpu->host->lanes,
                               rate_text(t.links));
  } else {
    return std::nullopt;
  }
  if (t.domains > 1) {
    if (s.rails < 1 || s.rate <= 0) return std::nullopt;
    const double nodes_in_domain = static_cast<double>(t.domain) / s.gpus;
    t.network_best = s.rails * s.rate * nodes_in_domain;
    t.network = t.network_best / std::max(1.0, s.oversubscription);
    t.network_text = fmt::format(
        "{} rails × {}{}{}", s.rails, rate_text(s.rate),
        nodes_in_domain > 1 ? fmt::format(" × {:g} nodes", nodes_in_domain) : "",
        s.oversubscription > 1 ? fmt::format(" / {:g} oversubscribed", s.oversubscription) : "");
  }
  return t;
}

std::string nvls_family(const Setting& t) {
  return fmt::format("all-reduce in the switch, {} {}", t.gpu->link ? t.gpu->link->kind : "none",
                     t.generation);
}
std::string ring_family(const Setting& t) {
  return "rings over " + (t.gpu->link ? t.gpu->link->kind : std::string("PCIe"));
}

/// Within one domain. Ring: each rank's links carry busbw. In the switch (NVLS): a rank sends its
/// data once and its share of the result, so that at most 2 (n-1)/(n+1) of the links is reached.
void within_domain(const Setting& t, const Setup& s, Model& m) {
  const double n = t.n;
  m.limit = m.ceiling = t.links;
  m.formula = t.links_text + ", one direction";
  m.families = {ring_family(t)};
  if (t.operation == "all_to_all")
    m.families = {"all-to-all over " + (t.gpu->link ? t.gpu->link->kind : std::string("PCIe"))};
  if (s.algorithm == "nvls" && !t.over_pcie) {
    m.limit = m.busbw_factor * t.links;
    m.formula = fmt::format("2 (n-1)/n × {}, n = {}", t.links_text, t.n);
    m.ceiling = 2 * (n - 1) / (n + 1) * t.links;
    m.ceiling_formula =
        "2 (n-1)/(n+1) × the links: each rank sends its data and its share of the sum";
    m.families = {nvls_family(t)};
  }
  if (t.over_pcie) {
    m.families = {"two GPUs over PCIe"};
    m.no_floor = "how the GPUs sit on PCIe switches and sockets decides";
  }
  if (t.gpu->link && !t.gpu->link->gates) m.no_floor = "its links' rate only informs";
}

/// What one domain manages of S/t for an all-reduce by itself: experience, where there is any.
double domain_rate(const Catalogue& c, const Setting& t, const Setup& s,
                   std::optional<std::size_t> without) {
  const auto nvls = median_share(c, nvls_family(t), without);
  if (nvls && t.gpu->link && t.gpu->link->topology == "switch" && t.generation >= 4)
    return *nvls * t.links;
  const auto ring = median_share(c, ring_family(t), without);
  const double g = std::max(2, s.gpus);
  return ring.value_or(1) * t.links * g / (2 * (g - 1));
}

void all_reduce_over_network(const Catalogue& c, const Setting& t, const Setup& s,
                             std::optional<std::size_t> without, Model& m) {
  const double domains = t.domains;
  // Reduced within the domain first, each domain sends 2 (N-1)/N of the data; in the switches,
  // once.
  const auto by_structure = [&](double network) {
    return m.busbw_factor * std::min(t.links, network * domains / (2 * (domains - 1)));
  };
  m.ceiling = by_structure(t.network_best);
  m.ceiling_formula = fmt::format("2 (n-1)/n × min({}, N / 2 (N-1) × {}), n = {}, N = {}",
                                  t.links_text, t.network_text, t.n, t.domains);
  if (s.algorithm == "ring") {
    m.limit = std::min(t.links, t.network);
    m.ceiling = std::min(t.links, t.network_best);
    m.formula = fmt::format("min({}, {})", t.links_text, t.network_text);
    m.ceiling_formula.clear();
    m.families = {"rings over nodes"};
    if (t.domains > 8) m.no_floor = "nothing is published beyond 8 nodes: a contract has to say";
  } else if (s.algorithm == "sharp") {
    const double own = domain_rate(c, t, s, without);
    m.limit = m.busbw_factor * std::min(own, t.network);
    m.formula = fmt::format("2 (n-1)/n × min({} within the node, {}), n = {}", rate_text(own),
                            t.network_text, t.n);
    m.ceiling = m.busbw_factor * std::min(t.links, t.network_best);
    m.ceiling_formula =
        "2 (n-1)/n × the slower of links and rails: summed in the switches, the data go out once";
    m.families = {"all-reduce in the fabric's switches"};
    if (t.domains > 8) m.no_floor = "nothing is published beyond 8 nodes: a contract has to say";
  } else if (s.algorithm == "tree") {
    const double own = domain_rate(c, t, s, without);
    m.limit = m.busbw_factor * std::min(own, t.network * domains / (2 * (domains - 1)));
    m.formula = fmt::format("2 (n-1)/n × min({} within the node, N / 2 (N-1) × {}), n = {}, N = {}",
                            rate_text(own), t.network_text, t.n, t.domains);
    m.families = {"trees over two nodes"};
    if (t.domains > 2) m.no_floor = "trees over more than two nodes: nothing is published";
    m.floor_families = t.domains == 2 ? 1 : 0;
  } else {
    m.limit = by_structure(t.network);
    m.formula = m.ceiling_formula;
    m.ceiling_formula.clear();
    m.families = {"all-reduce over NVLink domains"};
    if (t.domains > 4)
      m.no_floor = "nothing comparable is published beyond 4 domains: a contract has to say";
  }
}

void over_network(const Catalogue& c, const Setting& t, const Setup& s,
                  std::optional<std::size_t> without, Model& m) {
  if (t.operation == "all_reduce") return all_reduce_over_network(c, t, s, without, m);
  if (t.operation == "all_to_all") {
    // Of what a rank sends, (n-D)/n leaves its domain, through its share of the rails.
    const double of_rails = static_cast<double>(t.n - 1) / (t.n - t.domain) / t.domain;
    m.limit = std::min(t.links, t.network * of_rails);
    m.ceiling = std::min(t.links, t.network_best * of_rails);
    m.formula = fmt::format("min({}, (n-1)/(n-D) × {} / D), n = {}, D = {}", t.links_text,
                            t.network_text, t.n, t.domain);
    m.families = {"all-to-all over nodes"};
    if (t.domains > 8) m.no_floor = "nothing is published beyond 8 nodes: a contract has to say";
    return;
  }
  m.limit = std::min(t.links, t.network);
  m.formula = fmt::format("min({}, {})", t.links_text, t.network_text);
  // A ring carries everything through each domain's rails; at least what the others have must pass.
  const double domains = t.domains;
  m.ceiling = std::min(t.links, m.busbw_factor * t.network_best * domains / (domains - 1));
  m.ceiling_formula = fmt::format("min({}, (n-1)/n × N/(N-1) × {}), n = {}, N = {}", t.links_text,
                                  t.network_text, t.n, t.domains);
  m.families = {"all-gather and reduce-scatter over nodes"};
  if (t.domains > 8) m.no_floor = "nothing is published beyond 8 nodes: a contract has to say";
}

}  // namespace

double startup_seconds(const Catalogue& c, bool over_nodes, std::optional<std::size_t> without) {
  const auto spans_nodes = [](const Setup& s) {
    return s.nodes * s.gpus > std::max(s.domain, s.gpus);
  };
  const auto factor = [](const Setup& s) {
    const double n = s.nodes * s.gpus;
    return 2 * (n - 1) / n;
  };
  const auto comparable = [](const Setup& a, const Setup& b) {
    return a.test == b.test && a.gpu == b.gpu && a.gpus == b.gpus && a.nodes == b.nodes &&
           a.domain == b.domain && a.algorithm == b.algorithm && a.fabric == b.fabric &&
           a.rails == b.rails;
  };
  std::vector<double> found;
  for (std::size_t i = 0; i < c.published.size(); ++i) {
    const Published& small = c.published[i];
    if (small.setup.test != "interconnect.nccl_all_reduce" || small.setup.message < 64e6 ||
        small.setup.message > 1.1e9 || !small.value.gates || i == without ||
        spans_nodes(small.setup) != over_nodes)
      continue;
    double largest = 0, rate = 0;
    for (std::size_t j = 0; j < c.published.size(); ++j) {
      const Published& p = c.published[j];
      if (j == without || !p.value.gates || !comparable(small.setup, p.setup)) continue;
      if (p.setup.message <= std::max(largest, 4e9)) continue;
      largest = p.setup.message;
      rate = p.value.value;
    }
    if (rate <= small.value.value) continue;
    found.push_back(small.setup.message * factor(small.setup) * (1 / small.value.value - 1 / rate));
  }
  if (found.empty()) return 0;
  std::sort(found.begin(), found.end());
  return found[found.size() / 2];
}

std::optional<Model> collective_rate(const Catalogue& c, const Setup& s,
                                     std::optional<std::size_t> without) {
  const auto t = setting_of(c, s);
  if (!t || s.metric != "busbw") return std::nullopt;
  const double n = t->n;
  Model m;
  m.busbw_factor = t->operation == "all_reduce" ? 2 * (n - 1) / n : (n - 1) / n;
  m.startup = without          ? startup_seconds(c, t->domains > 1, without)
              : t->domains > 1 ? c.startup_over
                               : c.startup_within;
  m.sources = {"NCCLT"};
  if (t->gpu->link) m.sources.push_back(t->gpu->link->source);
  if (t->domains == 1)
    within_domain(*t, s, m);
  else
    over_network(c, *t, s, without, m);
  const std::string doubt = doubt_of_links(*t->gpu, s);
  const bool bridged = t->gpu->link && t->gpu->link->topology == "bridge";
  if (!doubt.empty() && (bridged || t->domains == 1)) m.no_floor = doubt;
  if (bridged) m.families.clear();
  if (t->over_pcie) m.no_floor = "how GPUs and NICs sit on PCIe switches and sockets decides";
  if (t->over_pcie && s.gpus > 2) m.families.clear();
  if (t->domains > 1 && s.fabric == "ethernet")
    m.no_floor = "over sockets cores are the bound, not the links";
  if (!s.placed) m.no_floor = "which of the nodes share an NVLink domain isn't told";
  return m;
}

}  // namespace acceptance
