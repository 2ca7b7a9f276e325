#include "reports/verdict/fleet.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "suites/core/statistics.h"

namespace acceptance {
namespace {

std::string node_of(const std::string& place) { return place.substr(0, place.find(' ')); }

// Where more than this share of the nodes have places that are too low, they are a kind of their
// own.
constexpr std::size_t one_of = 8;
constexpr double far_outside = 6;  // standard deviations
// Kurtosis beyond that of a normal spread, in standard deviations: one healthy cluster of 1,000.
constexpr double too_heavy = 3.1;
// A place this much below the others over all groups together may be what is wrong.
constexpr double low_throughout = -3;

/// Where lower is better they are negative, so that more is better.
std::vector<PlaceValue> shares(const FleetGroup& g) {
  std::vector<double> figures;
  for (const FleetPlace& p : g.places) figures.push_back(p.figure);
  const double usual = figures.empty() ? 1 : median(figures);
  std::vector<PlaceValue> values;
  for (const FleetPlace& p : g.places) {
    const double share = p.figure / usual;
    values.push_back({g.better == Better::higher ? share : -share, p.error * share});
  }
  return values;
}

struct Deviate {
  const std::string* place;
  double value;  ///< of mean 0 and deviation 1 over its group
};

/// What is left of a group without its outliers and some places.
std::vector<Deviate> deviates(const FleetGroup& g, const std::set<std::string>& without) {
  std::set<std::size_t> outliers;
  for (const Outlier& o : g.spread.outliers) outliers.insert(o.index);
  std::vector<Deviate> kept;
  for (std::size_t i = 0; i < g.places.size(); ++i)
    if (!outliers.contains(i) && (without.empty() || !without.contains(g.places[i].name)))
      kept.push_back({&g.places[i].name, g.places[i].figure});
  double mean = 0, squares = 0;
  for (const Deviate& d : kept) mean += d.value / static_cast<double>(kept.size());
  for (const Deviate& d : kept) squares += (d.value - mean) * (d.value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(kept.size()));
  if (kept.size() < 4 || deviation <= 0) return {};
  const double better = g.better == Better::higher ? 1 : -1;
  for (Deviate& d : kept) d.value = better * (d.value - mean) / deviation;
  return kept;
}

/// Places that are bad in most of what was measured: at most an eighth of all.
std::set<std::string> low_places(const std::vector<FleetGroup>& groups) {
  std::unordered_map<std::string_view, std::pair<double, double>> seen;  // sum, number
  for (const FleetGroup& g : groups)
    for (const Deviate& d : deviates(g, {})) {
      auto& [sum, number] = seen[*d.place];
      sum += d.value;
      ++number;
    }
  std::vector<std::pair<double, std::string>> low;
  for (const auto& [place, s] : seen)
    if (const double z = s.first / std::sqrt(s.second); z < low_throughout)
      low.emplace_back(z, place);
  std::sort(low.begin(), low.end());
  low.resize(std::min(low.size(), std::max<std::size_t>(1, seen.size() / one_of)));
  std::set<std::string> names;
  for (auto& [z, place] : low) names.insert(std::move(place));
  return names;
}

/// Whether far-off places are more common, over all groups together, than a normal spread has
/// them: the sum of the groups' kurtoses against its mean and variance for normal samples of their
/// sizes (Fisher 1930). Places that are low throughout are left out: they may be what is wrong.
bool heavy_tails(const std::vector<FleetGroup>& groups) {
  const std::set<std::string> low = low_places(groups);
  double beyond = 0, variance = 0;
  for (const FleetGroup& g : groups) {
    const auto kept = deviates(g, low);
    if (kept.empty()) continue;
    const double n = static_cast<double>(kept.size());
    double kurtosis = 0;
    for (const Deviate& d : kept) kurtosis += std::pow(d.value, 4) / n;
    beyond += kurtosis - 3 * (n - 1) / (n + 1);
    variance += 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
  }
  return variance > 0 && beyond > too_heavy * std::sqrt(variance);
}

}  // namespace

double practical_difference(const std::string& test, Unit unit) {
  return unit == Unit::seconds || test.starts_with("storage.") ? 0.10 : 0.05;
}

std::string_view name(FleetGroup::Kind kind) {
  switch (kind) {
    case FleetGroup::Kind::alike: return "alike";
    case FleetGroup::Kind::wide: return "wide";
    case FleetGroup::Kind::in_groups: return "in groups";
    case FleetGroup::Kind::heavy: return "heavy-tailed";
  }
  return "";
}

void compare_fleet(std::vector<FleetGroup>& groups) {
  std::size_t comparisons = 0;
  for (const FleetGroup& g : groups) comparisons += g.places.size();
  if (comparisons == 0) return;
  const double level = false_suspicion / static_cast<double>(comparisons);
  for (FleetGroup& g : groups) {
    g.spread = compare_places(shares(g), level);
    for (Outlier& o : g.spread.outliers) o.off /= std::abs(g.spread.centre);
  }
  const bool heavy = std::any_of(groups.begin(), groups.end(),
                                 [](const FleetGroup& g) { return !g.spread.outliers.empty(); }) &&
                     heavy_tails(groups);
  for (FleetGroup& g : groups) {
    std::set<std::string> nodes, low;
    for (const FleetPlace& p : g.places) nodes.insert(node_of(p.name));
    for (const Outlier& o : g.spread.outliers) low.insert(node_of(g.places[o.index].name));
    std::erase_if(g.spread.outliers, [&](const Outlier& o) { return o.off < g.least; });
    const bool outliers = !g.spread.outliers.empty();
    if (outliers && low.size() > std::max<std::size_t>(1, nodes.size() / one_of))
      g.kind = FleetGroup::Kind::in_groups;
    else if (outliers && heavy)
      g.kind = FleetGroup::Kind::heavy;
    else if (g.places.size() > 2 && g.spread.between > homogeneous_spread)
      g.kind = FleetGroup::Kind::wide;
    // Where equal ones differ so much, only what stands far outside means anything.
    if (g.kind == FleetGroup::Kind::wide)
      std::erase_if(g.spread.outliers,
                    [&](const Outlier& o) { return o.off < far_outside * g.spread.between; });
  }
}

}  // namespace acceptance
