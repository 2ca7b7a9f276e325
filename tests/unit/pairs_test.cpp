#include "reports/verdict/pairs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <string>

namespace acceptance {
namespace {

using Level = PairFault::Level;

/// What share of the usual rate there is from one node to another over a rail.
using Share = std::function<double(std::size_t from, std::size_t to, std::size_t rail)>;

struct Made {
  std::size_t nodes = 32, rails = 1, on_a_leaf = 8;
  bool directed = false;
  double noise = 0.03, missing = 0.2;
  Share share = [](auto, auto, auto) { return 1.0; };
};

PairMatrix make(const Made& made, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  PairMatrix m;
  m.rails = made.rails;
  m.directed = made.directed;
  for (std::size_t n = 0; n < made.nodes; ++n) {
    m.nodes.push_back(fmt::format("n{}", n));
    m.leaves.push_back(fmt::format("leaf{}", n / made.on_a_leaf));
  }
  for (std::size_t a = 0; a < made.nodes; ++a)
    for (std::size_t b = made.directed ? 0 : a + 1; b < made.nodes; ++b)
      for (std::size_t r = 0; r < made.rails; ++r) {
        if (a == b || uniform(random) < made.missing) continue;
        const double noise = 1 + made.noise * normal(random);
        const double second = 1 + made.noise * normal(random);
        const double rate = 48e9 * made.share(a, b, r);
        m.cells.push_back({a, b, r, rate * noise, rate * second});
      }
  return m;
}

/// What a second look at all that is suspected agrees with.
std::string blamed(const PairMatrix& m) {
  std::string out;
  const auto faults = blame_pairs({&m, 1});
  for (const PairFault& f : faults.at(0)) {
    if (f.level != Level::mixed && !agrees(f.off, f.again, m.least)) continue;
    out += fmt::format("{}{}", out.empty() ? "" : "; ", name(f.level));
    for (const std::string& c : f.culprits) out += " " + c;
    if (f.level == Level::rail || f.level == Level::port) out += fmt::format(" r{}", f.rail);
    if (f.level == Level::direction) out += f.sends ? " sends" : " receives";
    if (f.level == Level::leaf) out += f.inside ? " inside" : " up";
  }
  return out;
}

/// In at least 99 of 100 made-up fabrics exactly this is said.
void expect(const Made& made, const std::string& wanted, int runs = 100) {
  std::map<std::string, int> said;
  for (int seed = 0; seed < runs; ++seed)
    ++said[blamed(make(made, static_cast<std::uint64_t>(seed)))];
  std::string others;
  for (const auto& [what, times] : said) others += fmt::format("{} x '{}'\n", times, what);
  EXPECT_GE(said[wanted] * 100, 99 * runs) << "wanted '" << wanted << "', said:\n" << others;
}

TEST(Pairs, HealthyFabricsAreLeftInPeace) {
  expect({}, "");
  expect({.nodes = 64}, "", 20);
  expect({.nodes = 4}, "");
  expect({.nodes = 2}, "");
  expect({.nodes = 16, .rails = 4, .directed = true}, "", 20);
  EXPECT_TRUE(blame_pairs({}).empty());
  EXPECT_EQ(blamed({}), "");
}

TEST(Pairs, ASlowNodeIsOneFindingAndNotOneForEachPartner) {
  const Share slow = [](auto a, auto b, auto) { return a == 5 || b == 5 ? 0.8 : 1.0; };
  expect({.share = slow}, "node n5");
  expect({.nodes = 64, .share = slow}, "node n5", 20);
  expect({.nodes = 16, .rails = 2, .directed = true, .share = slow}, "node n5", 20);
}

TEST(Pairs, ASlowPortARailAndADirectionAreNamedAsSuch) {
  expect({.nodes = 16,
          .rails = 4,
          .share = [](auto a, auto b, auto r) { return r == 2 && (a == 5 || b == 5) ? 0.8 : 1.0; }},
         "port n5 r2", 30);
  expect({.nodes = 16, .rails = 4, .share = [](auto, auto, auto r) { return r == 2 ? 0.8 : 1; }},
         "rail r2", 30);
  expect({.directed = true, .share = [](auto a, auto, auto) { return a == 5 ? 0.8 : 1.0; }},
         "direction n5 sends", 30);
  expect({.directed = true, .share = [](auto, auto b, auto) { return b == 5 ? 0.8 : 1.0; }},
         "direction n5 receives", 30);
}

TEST(Pairs, ASlowLinkIsNeitherOfItsNodes) {
  expect(
      {.missing = 0, .share = [](auto a, auto b, auto) { return a == 3 && b == 20 ? 0.75 : 1.0; }},
      "link n3 n20");
}

TEST(Pairs, ASlowLeafIsOneFindingInsideOrOnItsWayUp) {
  const auto leaf = [](std::size_t n) { return n / 8; };
  expect({.share = [=](auto a, auto b, auto) { return leaf(a) == 1 || leaf(b) == 1 ? 0.8 : 1.0; }},
         "leaf leaf1 inside");
  expect(
      {.nodes = 64,
       .share = [=](auto a, auto b, auto) { return (leaf(a) == 1) != (leaf(b) == 1) ? 0.8 : 1.0; }},
      "leaf leaf1 up", 20);
  expect({.nodes = 64,
          .share = [=](auto a, auto b, auto) { return leaf(a) == 1 && leaf(b) == 4 ? 0.7 : 1.0; }},
         "leaf pair leaf1 leaf4", 20);
}

TEST(Pairs, TwoFaultsAtOnceAreTwoFindings) {
  expect({.nodes = 64,
          .missing = 0,
          .share = [](auto a, auto b,
                      auto) { return a == 5 || b == 5     ? 0.8
                                     : a == 20 && b == 40 ? 0.75
                                                          : 1.0; }},
         "node n5; link n20 n40", 20);
  expect({.share = [](auto a, auto b,
                      auto) { return a == 5 || b == 5 || a == 21 || b == 21 ? 0.8 : 1.0; }},
         "node n5; node n21");
}

TEST(Pairs, FurtherAwayIsNoFault) {
  const auto leaf = [](std::size_t n) { return n / 8; };
  const Share far = [=](auto a, auto b, auto) { return leaf(a) == leaf(b) ? 1.0 : 0.7; };
  expect({.share = far}, "");
  expect({.nodes = 12, .share = far}, "");
  expect({.share = [=](auto a, auto b,
                       auto r) { return far(a, b, r) * (a == 5 || b == 5 ? 0.8 : 1); }},
         "node n5");
}

TEST(Pairs, WhereThereIsMoreThanOneKindNobodyIsNamed) {
  // Leaves nobody told of: within them it is faster.
  const auto leaf = [](std::size_t n) { return n / 4; };
  PairMatrix m = make(
      {.nodes = 8, .share = [=](auto a, auto b, auto) { return leaf(a) == leaf(b) ? 1.0 : 0.7; }},
      1);
  m.leaves.clear();
  const std::string said = blamed(m);
  EXPECT_TRUE(said.empty() || said == "mixed") << said;
  // Half of the nodes have other ports.
  EXPECT_TRUE(blamed(make({.share = [](auto a, auto b,
                                       auto) { return a % 3 == 0 || b % 3 == 0 ? 0.5 : 1.0; }},
                          1))
                  .starts_with("mixed n0 "));
}

TEST(Pairs, WhereLowerIsBetterTheSlowOneTakesLonger) {
  PairMatrix m =
      make({.share = [](auto a, auto b, auto) { return a == 5 || b == 5 ? 1.3 : 1; }}, 1);
  m.better = Better::lower;
  EXPECT_EQ(blamed(m), "node n5");
  m.better = Better::higher;
  EXPECT_EQ(blamed(m), "") << "faster than the others is nobody's fault";
}

}  // namespace
}  // namespace acceptance
