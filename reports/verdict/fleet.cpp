#include "reports/verdict/fleet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace acceptance {
namespace {

// Beyond this share of them, places that are too low are a kind of their own.
constexpr std::size_t one_of = 8;
// Kurtosis beyond that of a normal spread, in standard deviations: one healthy cluster of 1,000.
constexpr double too_heavy = 3.1;
// A place this much below the others over all groups together may be what is wrong.
constexpr double low_throughout = -3;

/// What is left of a group without its outliers, as deviates of mean 0 and deviation 1.
std::vector<std::pair<std::string, double>> deviates(const FleetGroup& g,
                                                     const std::set<std::string>& without) {
  std::set<std::size_t> outliers;
  for (const Outlier& o : g.spread.outliers) outliers.insert(o.index);
  std::vector<std::pair<std::string, double>> kept;
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < g.places.size(); ++i)
    if (!outliers.contains(i) && !without.contains(g.places[i].name))
      kept.emplace_back(g.places[i].name, g.places[i].value.value);
  for (const auto& [place, v] : kept) mean += v / static_cast<double>(kept.size());
  for (const auto& [place, v] : kept) squares += (v - mean) * (v - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(kept.size()));
  if (kept.size() < 4 || deviation <= 0) return {};
  for (auto& [place, v] : kept) v = (v - mean) / deviation;
  return kept;
}

/// Places that are low in most of what was measured: at most an eighth of all.
std::set<std::string> low_places(const std::vector<FleetGroup>& groups) {
  std::map<std::string, std::pair<double, double>> seen;  // sum and number of deviates
  for (const FleetGroup& g : groups)
    for (const auto& [place, r] : deviates(g, {})) {
      seen[place].first += r;
      ++seen[place].second;
    }
  std::vector<std::pair<double, std::string>> low;
  for (const auto& [place, s] : seen)
    if (const double z = s.first / std::sqrt(s.second); z < low_throughout)
      low.emplace_back(z, place);
  std::sort(low.begin(), low.end());
  low.resize(std::min(low.size(), std::max<std::size_t>(1, seen.size() / one_of)));
  std::set<std::string> names;
  for (const auto& [z, place] : low) names.insert(place);
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
    for (const auto& [place, r] : kept) kurtosis += r * r * r * r / n;
    beyond += kurtosis - 3 * (n - 1) / (n + 1);
    variance += 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
  }
  return variance > 0 && beyond > too_heavy * std::sqrt(variance);
}

}  // namespace

double practical_difference(const std::string& test, Unit unit) {
  return unit == Unit::seconds || test.starts_with("storage.") ? 0.10 : 0.05;
}

void compare_fleet(std::vector<FleetGroup>& groups) {
  std::size_t comparisons = 0;
  for (const FleetGroup& g : groups) comparisons += g.places.size();
  if (comparisons == 0) return;
  const double level = false_suspicion / static_cast<double>(comparisons);
  for (FleetGroup& g : groups) {
    std::vector<PlaceValue> values;
    for (const FleetPlace& p : g.places) values.push_back(p.value);
    g.spread = compare_places(values, level);
  }
  const bool heavy = heavy_tails(groups);
  for (FleetGroup& g : groups) {
    const std::size_t n = g.places.size();
    const double least = -std::log1p(-practical_difference(g.test, g.unit));
    const std::size_t low = g.spread.outliers.size();
    std::erase_if(g.spread.outliers, [&](const Outlier& o) { return o.off < least; });
    if (low > std::max<std::size_t>(1, n / one_of) && !g.spread.outliers.empty())
      g.kind = FleetGroup::Kind::in_groups;
    else if (heavy && !g.spread.outliers.empty())
      g.kind = FleetGroup::Kind::heavy;
    else if (n > 2 && g.spread.between > homogeneous_spread)
      g.kind = FleetGroup::Kind::wide;
  }
}

}  // namespace acceptance
