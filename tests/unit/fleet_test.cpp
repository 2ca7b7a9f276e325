#include "reports/verdict/fleet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

namespace acceptance {
namespace {

using Kind = FleetGroup::Kind;

/// A made-up fleet; nothing in it is shared with what judges it.
struct Made {
  int nodes = 32, gpus = 8, metrics = 4;
  double noise = 0.002;                         ///< of a place's own median
  std::function<double(std::mt19937_64&)> off;  ///< from place to place, relative
  std::function<double(int node, int gpu)> share = [](int, int) { return 1.0; };
};

std::vector<FleetGroup> make(const Made& m, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<FleetGroup> groups;
  for (int metric = 0; metric < m.metrics; ++metric) {
    FleetGroup g;
    g.test = "compute.made_up";
    g.metric = "rate " + std::to_string(metric);
    g.unit = Unit::flop_per_second;
    for (int node = 0; node < m.nodes; ++node)
      for (int gpu = 0; gpu < m.gpus; ++gpu) {
        const double rate = 1e12 * m.share(node, gpu) * (1 + m.off(random));
        g.places.push_back({"n" + std::to_string(node) + " gpu" + std::to_string(gpu),
                            rate * (1 + m.noise * normal(random)), m.noise});
      }
    groups.push_back(std::move(g));
  }
  compare_fleet(groups);
  return groups;
}

auto gaussian(double spread) {
  return
      [d = std::normal_distribution<double>(0, spread)](auto& random) mutable { return d(random); };
}

/// Places called outliers in any group that is alike.
std::set<std::string> suspects(const std::vector<FleetGroup>& groups) {
  std::set<std::string> names;
  for (const FleetGroup& g : groups)
    if (g.kind == Kind::alike || g.kind == Kind::wide)
      for (const Outlier& o : g.spread.outliers) names.insert(g.places[o.index].name);
  return names;
}

bool any(const std::vector<FleetGroup>& groups, Kind kind) {
  return std::any_of(groups.begin(), groups.end(),
                     [&](const FleetGroup& g) { return g.kind == kind; });
}

TEST(Fleet, HealthyOnesAreLeftInPeaceWhateverTheirSize) {
  for (const int nodes : {1, 2, 4, 8, 32})
    for (const double spread : {0.002, 0.01, 0.02, 0.05}) {
      int wrong = 0;
      for (std::uint64_t seed = 0; seed < 40; ++seed)
        wrong +=
            !suspects(make({.nodes = nodes, .metrics = 6, .off = gaussian(spread)}, seed)).empty();
      EXPECT_LE(wrong, 3) << nodes << " nodes, spread " << spread;  // 1 % of 40, P(> 3) = 0.0007
    }
}

TEST(Fleet, FewNodesWithOnePlaceEachAreLeftInPeaceToo) {
  for (const int nodes : {2, 3, 4, 8}) {
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
      wrong +=
          !suspects(make({.nodes = nodes, .gpus = 1, .metrics = 10, .off = gaussian(0.02)}, seed))
               .empty();
    EXPECT_LE(wrong, 8) << nodes;  // 1 % of 200, P(> 8) = 0.0002
  }
}

TEST(Fleet, ASlowNodeIsFoundAndNobodyElse) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto found = suspects(make(
        {.off = gaussian(0.01), .share = [](int n, int) { return n == 7 ? 0.9 : 1.0; }}, seed));
    EXPECT_EQ(found.size(), 8u);
    EXPECT_TRUE(std::all_of(found.begin(), found.end(),
                            [](const std::string& p) { return p.starts_with("n7 "); }));
  }
}

TEST(Fleet, ANodeWithManySlowDevicesIsOneNodeAndNotAKindOfItsOwn) {
  for (const int nodes : {2, 4}) {
    const auto found = suspects(make({.nodes = nodes,
                                      .off = gaussian(0.01),
                                      .share = [](int n, int) { return n == 1 ? 0.9 : 1.0; }},
                                     1));
    EXPECT_EQ(found.size(), 8u) << nodes;
  }
}

TEST(Fleet, ManySlowOnesDontHideEachOther) {
  const auto found = suspects(make({.nodes = 256,
                                    .gpus = 1,
                                    .off = gaussian(0.01),
                                    .share = [](int n, int) { return n % 16 ? 1.0 : 0.85; }},
                                   1));
  EXPECT_EQ(found.size(), 16u);
}

TEST(Fleet, OfTwoOrFourOnlyGrossSlownessIsSure) {
  for (const int nodes : {2, 4}) {
    const auto slow = [&](double share) {
      return suspects(make({.nodes = nodes,
                            .gpus = 1,
                            .off = gaussian(0.01),
                            .share = [=](int n, int) { return n == 1 ? share : 1.0; }},
                           3));
    };
    EXPECT_EQ(slow(0.5), std::set<std::string>{"n1 gpu0"}) << nodes;
    EXPECT_TRUE(slow(0.95).empty()) << nodes;
  }
}

TEST(Fleet, ASureButSmallDifferenceDoesNotMatter) {
  const auto found = suspects(make({.noise = 1e-4,
                                    .off = gaussian(0.0005),
                                    .share = [](int n, int) { return n == 7 ? 0.96 : 1.0; }},
                                   1));
  EXPECT_TRUE(found.empty()) << "4 % are less than the practical difference";
}

TEST(Fleet, ANoisyPlaceIsNotASlowOne) {
  auto groups = make({.off = gaussian(0.002)}, 1);
  for (FleetGroup& g : groups) {
    g.places[5].figure *= 0.8;
    g.places[5].error = 0.15;
  }
  compare_fleet(groups);
  EXPECT_TRUE(suspects(groups).empty());
}

TEST(Fleet, TwoFirmwaresAreTwoGroupsAndNotSlowNodes) {
  const auto groups = make({.nodes = 64,
                            .gpus = 1,
                            .off = gaussian(0.005),
                            .share = [](int n, int) { return n % 3 ? 1.0 : 0.92; }},
                           1);
  EXPECT_TRUE(suspects(groups).empty());
  EXPECT_TRUE(any(groups, Kind::in_groups));
}

TEST(Fleet, HeavyTailsAreNotHomogeneousAndBlameNobody) {
  for (const int nodes : {2, 4, 32}) {
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed)
      wrong +=
          !suspects(
               make({.nodes = nodes,
                     .metrics = 40,
                     .off = [d = std::student_t_distribution<double>(3)](
                                auto& r) mutable { return std::clamp(0.01 * d(r), -0.9, 0.9); }},
                    seed))
               .empty();
    EXPECT_LE(wrong, 3) << nodes;
  }
}

TEST(Fleet, WhereLowerIsBetterTheSlowOneTakesLonger) {
  FleetGroup g;
  g.test = "interconnect.made_up";
  g.unit = Unit::seconds;
  g.better = Better::lower;
  g.least = practical_difference(g.test, g.unit);
  for (int n = 0; n < 32; ++n)
    g.places.push_back({"n" + std::to_string(n), 2e-6 * (1 + 0.001 * (n % 7)), 0.001});
  g.places[3].figure = 3e-6;
  g.places[4].figure = 1e-6;
  std::vector<FleetGroup> groups{g};
  compare_fleet(groups);
  ASSERT_EQ(groups[0].spread.outliers.size(), 1u);
  EXPECT_EQ(groups[0].spread.outliers[0].index, 3u);
  EXPECT_NEAR(groups[0].spread.outliers[0].off, 0.5, 0.01);
}

TEST(Fleet, EqualFiguresAndLonePlacesAreNoTrouble) {
  EXPECT_TRUE(suspects(make({.noise = 0, .off = [](auto&) { return 0.0; }}, 1)).empty());
  EXPECT_TRUE(suspects(make({.nodes = 1, .gpus = 1, .off = gaussian(0.01)}, 1)).empty());
  std::vector<FleetGroup> none;
  compare_fleet(none);
  EXPECT_TRUE(none.empty());
}

TEST(Fleet, WideSpreadIsSaid) {
  EXPECT_TRUE(any(make({.off = gaussian(0.05)}, 1), Kind::wide));
  EXPECT_FALSE(any(make({.off = gaussian(0.02)}, 1), Kind::wide));
}

}  // namespace
}  // namespace acceptance
