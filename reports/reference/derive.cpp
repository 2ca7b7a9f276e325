#include "reports/reference/derive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace acceptance {
namespace {

// Below this start-up is most of the time, and it differs with protocol and generation.
constexpr double least_message_with_floor = 64e6;
// Start-up grows with the ranks, which the constants don't know: over nodes and in domains of
// several nodes only messages count that hide it (B200 and GB200 tables of STASB and CW).
constexpr double least_over_nodes = 1_GiB, least_over_domains = 4_GiB;

double least_with_floor(const Setup& s) {
  if (s.domain > s.gpus && s.nodes > 1) return least_over_domains;
  return s.nodes > 1 ? least_over_nodes : least_message_with_floor;
}

Unit unit_of(const Setup& s) {
  if (s.metric == "latency") return Unit::seconds;
  return s.test == "compute.gpu_gemm" ? Unit::flop_per_second : Unit::bytes_per_second;
}

/// The rate of an endless message, from that of one of this size.
std::optional<double> steady(const Model& m, const Setup& s, double rate) {
  if (m.busbw_factor <= 0 || s.message <= 0) return rate;
  const double flowing = s.message * m.busbw_factor / rate - m.startup;
  if (flowing <= 0) return std::nullopt;
  return s.message * m.busbw_factor / flowing;
}

/// The rate of a message of this size, from that of an endless one.
double of_message(const Model& m, const Setup& s, double rate) {
  if (m.busbw_factor <= 0 || s.message <= 0) return rate;
  return s.message * m.busbw_factor / (m.startup + s.message * m.busbw_factor / rate);
}

bool calibrates(const Published& p) {
  return p.value.gates && (p.setup.message == 0 || p.setup.message >= least_message_with_floor ||
                           !p.setup.test.starts_with("interconnect.nccl_"));
}

std::vector<Share> shares_without(const Catalogue& c, const std::string& family,
                                  std::optional<std::size_t> without) {
  const auto found = c.families.find(family);
  if (found == c.families.end()) return {};
  std::vector<Share> shares = found->second;
  std::erase_if(shares, [&](const Share& s) { return without && s.row == *without; });
  return shares;
}

double median_of(std::vector<Share> shares) {
  std::sort(shares.begin(), shares.end(),
            [](const Share& a, const Share& b) { return a.middle < b.middle; });
  const std::size_t half = shares.size() / 2;
  return shares.size() % 2 ? shares[half].middle
                           : (shares[half - 1].middle + shares[half].middle) / 2;
}

std::string cited(const Catalogue& c, const std::set<std::string>& keys) {
  std::vector<std::string> all;
  for (const std::string& key : keys) all.push_back(citation(c, key));
  return fmt::format("{}", fmt::join(all, "; "));
}

void add_experience(const Catalogue& c, const Setup& s, const Model& m,
                    std::optional<std::size_t> without, std::set<std::string>& sources,
                    Reference& r) {
  const Unit unit = unit_of(s);
  for (std::size_t i = 0; i < m.families.size(); ++i) {
    const std::vector<Share> shares = shares_without(c, m.families[i], without);
    if (shares.empty()) continue;
    const double middle = median_of(shares);
    r.typical = of_message(m, s, m.limit * middle);
    for (const Share& share : shares) sources.insert(c.published[share.row].value.source);
    r.derivation += fmt::format("; typical {} = {:.3g} of it, the median of {} published for {}",
                                format(*r.typical, unit), middle, shares.size(), m.families[i]);
    if (m.startup > 0 && s.message > 0)
      r.derivation += fmt::format(" (and {} to start)", format(m.startup, Unit::seconds));
    if (m.floor || !m.no_floor.empty() || i >= m.floor_families) break;
    const auto worst = m.lower_is_better
                           ? std::max_element(shares.begin(), shares.end(),
                                              [](auto& a, auto& b) { return a.high < b.high; })
                           : std::min_element(shares.begin(), shares.end(),
                                              [](auto& a, auto& b) { return a.low < b.low; });
    const double margin = shares.size() == 1 ? m.lone_margin : m.floor_margin;
    const double share = m.lower_is_better ? worst->high * (1 + margin) : worst->low * (1 - margin);
    r.floor = of_message(m, s, m.limit * share);
    r.derivation += fmt::format("; floor {} = {:.3g} of it, the worst of them less {:.0f} %",
                                format(*r.floor, unit), share, margin * 100);
    break;
  }
}

Reference reference_from(const Catalogue& c, const Setup& s, const Model& m,
                         std::optional<std::size_t> without) {
  const Unit unit = unit_of(s);
  std::set<std::string> sources(m.sources.begin(), m.sources.end());
  Reference r;
  r.ceiling = m.ceiling;
  r.derivation = fmt::format("limit {} = {}", format(m.limit, unit), m.formula);
  if (!m.ceiling_formula.empty())
    r.derivation += fmt::format("; ceiling {} = {}", format(m.ceiling, unit), m.ceiling_formula);
  add_experience(c, s, m, without, sources, r);
  if (m.floor) {
    r.floor = of_message(m, s, *m.floor);
    r.derivation += fmt::format("; floor {} = {}", format(*r.floor, unit), m.floor_formula);
  }
  if (!r.floor)
    r.derivation +=
        "; no floor: " +
        (m.no_floor.empty() ? std::string("nothing comparable is published") : m.no_floor);
  r.source = cited(c, sources);
  return r;
}

/// Algorithms that are possible where none is told.
std::vector<std::string> possible_algorithms(const Catalogue& c, const Setup& s) {
  if (!s.algorithm.empty() || s.test != "interconnect.nccl_all_reduce") return {s.algorithm};
  const auto gpu = c.gpus.find(s.gpu);
  const bool reduces_in_switch = gpu != c.gpus.end() && gpu->second.link &&
                                 gpu->second.link->topology == "switch" &&
                                 gpu->second.link->generation >= 4;
  const int domain = std::max(s.domain, s.gpus);
  if (s.gpus * s.nodes <= domain)
    return reduces_in_switch ? std::vector<std::string>{"nvls", "ring"}
                             : std::vector<std::string>{"ring"};
  if (domain > s.gpus) return {"hierarchical"};
  if (s.nodes == 2) return {"tree", "ring"};
  if (s.fabric == "infiniband" && s.in_network_reduction) return {"ring", "sharp"};
  return {"ring", "tree"};
}

}  // namespace

std::optional<double> median_share(const Catalogue& c, const std::string& family,
                                   std::optional<std::size_t> without) {
  const std::vector<Share> shares = shares_without(c, family, without);
  if (shares.empty()) return std::nullopt;
  return median_of(shares);
}

std::optional<Model> model_of(const Catalogue& c, const Setup& s,
                              std::optional<std::size_t> without) {
  if (s.test == "compute.gpu_gemm") return gpu_rate(c, s);
  if (s.test == "compute.gpu_memory_bandwidth") return gpu_memory_rate(c, s);
  if (s.test == "interconnect.host_device_copy") return host_copy_rate(c, s);
  if (s.test == "interconnect.peer_copy") return peer_copy_rate(c, s);
  if (s.test.starts_with("interconnect.nccl_")) return collective_rate(c, s, without);
  if (s.test.starts_with("interconnect.rdma_"))
    return s.metric == "latency" ? rdma_latency(s) : rdma_rate(s);
  if (s.test == "interconnect.tcp_bandwidth") return tcp_rate(s);
  if (s.test == "storage.sequential") return sequential_rate(s);
  return std::nullopt;
}

std::map<std::string, std::vector<Share>> families_of(const Catalogue& without_families) {
  Catalogue c = without_families;
  c.families.clear();
  // Some models build on the shares of simpler ones, so those are made first.
  for (const bool composed : {false, true})
    for (std::size_t i = 0; i < c.published.size(); ++i) {
      const Published& p = c.published[i];
      if (!calibrates(p)) continue;
      Setup s = p.setup;
      s.algorithm = possible_algorithms(c, s).front();
      const bool is_composed = s.algorithm == "tree" || s.algorithm == "sharp";
      if (is_composed != composed) continue;
      const auto m = model_of(c, s, i);
      if (!m) continue;
      const auto low = steady(*m, s, p.value.low), middle = steady(*m, s, p.value.value),
                 high = steady(*m, s, p.value.high);
      if (!low || !middle || !high) continue;
      for (const std::string& family : m->families)
        c.families[family].push_back({*low / m->limit, *middle / m->limit, *high / m->limit, i});
    }
  return c.families;
}

std::optional<Reference> derive(const Catalogue& c, const Setup& setup,
                                std::optional<std::size_t> without) {
  std::optional<Reference> all;
  for (const std::string& algorithm : possible_algorithms(c, setup)) {
    Setup s = setup;
    s.algorithm = algorithm;
    const auto m = model_of(c, s, without);
    if (!m) continue;
    const Reference r = reference_from(c, s, *m, without);
    if (!all) {
      all = r;
      continue;
    }
    // Where nothing is published for one of them, the other's floor stands: a library that picks
    // the slower way has to be told.
    if (r.floor && (!all->floor || *r.floor < *all->floor)) all->floor = r.floor;
    all->ceiling = std::max(*all->ceiling, *r.ceiling);
    all->derivation = fmt::format("by {} or {}, which isn't known before: {}. Else: {}",
                                  possible_algorithms(c, setup).front(), algorithm, all->derivation,
                                  r.derivation);
    if (r.source != all->source) all->source += "; " + r.source;
  }
  if (all && all->floor && setup.test.starts_with("interconnect.nccl_") && setup.message > 0 &&
      setup.message < least_with_floor(setup)) {
    all->floor.reset();
    all->derivation += fmt::format("; no floor for messages below {} here",
                                   format(least_with_floor(setup), Unit::bytes));
  }
  return all;
}

std::vector<Validation> validate(const Catalogue& c) {
  std::vector<Validation> rows;
  for (std::size_t i = 0; i < c.published.size(); ++i) {
    const Published& p = c.published[i];
    Validation v;
    v.row = &p;
    v.reference = derive(c, p.setup, i);
    if (v.reference && v.reference->typical) v.error = *v.reference->typical / p.value.value - 1;
    if (const auto whole = derive(c, p.setup)) {
      const bool lower = p.setup.metric == "latency";
      const auto worse = [&](double a, double b) { return lower ? a > b : a < b; };
      v.within = !(whole->floor && worse(p.value.value, *whole->floor)) &&
                 !(whole->ceiling && worse(*whole->ceiling, p.value.value));
    }
    rows.push_back(v);
  }
  return rows;
}

}  // namespace acceptance
