#include "reports/verdict/localise.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace acceptance;

namespace {

using Kind = Localised::Kind;

/// A cluster whose collectives are bad for a known reason.
struct Sick {
  std::size_t nodes = 0, leaf_size = 0;
  std::set<std::size_t> bad_nodes{};
  std::set<std::pair<std::size_t, std::size_t>> bad_links{};       // ascending
  std::set<std::pair<std::size_t, std::size_t>> bad_leaf_pairs{};  // ascending
  std::set<std::size_t> bad_leaves{};                              // to all other leaves
  std::size_t bad_from = 0;    // this many at once are bad, whoever they are
  double shows = 1, lies = 0;  // how often a bad one is seen, and a good one taken for bad

  std::vector<std::string> leaves() const {
    std::vector<std::string> names;
    for (std::size_t n = 0; leaf_size > 0 && n < nodes; ++n)
      names.push_back(fmt::format("leaf{:02}", n / leaf_size));
    return names;
  }
  bool is_bad(const Members& m, std::mt19937_64& random) const {
    const auto in = [&](std::size_t n) { return std::binary_search(m.begin(), m.end(), n); };
    std::set<std::size_t> present;
    for (const std::size_t n : m) present.insert(leaf_size > 0 ? n / leaf_size : 0);
    const bool truth =
        (bad_from > 0 && m.size() >= bad_from) ||
        std::any_of(bad_nodes.begin(), bad_nodes.end(), in) ||
        std::any_of(bad_links.begin(), bad_links.end(),
                    [&](const auto& l) { return in(l.first) && in(l.second); }) ||
        std::any_of(bad_leaf_pairs.begin(), bad_leaf_pairs.end(),
                    [&](const auto& l) {
                      return present.contains(l.first) && present.contains(l.second);
                    }) ||
        (present.size() > 1 && std::any_of(bad_leaves.begin(), bad_leaves.end(),
                                           [&](auto l) { return present.contains(l); }));
    return std::bernoulli_distribution(truth ? shows : lies)(random);
  }
};

struct Outcome {
  std::vector<Localised> found;
  std::size_t launches = 0, rounds = 0;
};

Outcome search(const Sick& sick, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const std::vector<std::string> leaves = sick.leaves();
  Members all(sick.nodes);
  for (std::size_t i = 0; i < sick.nodes; ++i) all[i] = i;
  std::vector<Answer> answers{{all, true}};
  Outcome out;
  for (;;) {
    Search s = localise(sick.nodes, leaves, answers);
    if (s.ask.empty() || out.rounds > 1000) {
      out.found = std::move(s.found);
      return out;
    }
    ++out.rounds;
    for (const Members& m : s.ask) {
      ++out.launches;
      answers.push_back({m, sick.is_bad(m, random)});
    }
  }
}

std::string text(const std::vector<Localised>& found) {
  const char* names[] = {"nodes", "between", "one_of", "together", "everywhere", "unsteady"};
  std::string s;
  for (const Localised& l : found) {
    s += fmt::format("{}", names[static_cast<int>(l.kind)]);
    for (const std::size_t m : l.here) s += fmt::format(" {}", m);
    if (!l.there.empty()) s += " and";
    for (const std::size_t m : l.there) s += fmt::format(" {}", m);
    s += "; ";
  }
  return s;
}

std::set<std::size_t> some_of(std::size_t n, std::size_t count, std::mt19937_64& random) {
  std::set<std::size_t> out;
  while (out.size() < count)
    out.insert(std::uniform_int_distribution<std::size_t>(0, n - 1)(random));
  return out;
}

}  // namespace

TEST(Localise, OneBadOf32TakesTwelveLaunches) {
  for (std::size_t bad = 0; bad < 32; ++bad) {
    const Outcome o = search({.nodes = 32, .bad_nodes = {bad}});
    EXPECT_EQ(text(o.found), fmt::format("nodes {}; ", bad));
    EXPECT_LE(o.launches, 12u) << bad;
  }
}

TEST(Localise, FiveBadOf1024) {
  std::mt19937_64 random(5);
  std::size_t launches = 0, rounds = 0;
  for (int i = 0; i < 50; ++i) {
    const std::set<std::size_t> bad = some_of(1024, 5, random);
    const Outcome o = search({.nodes = 1024, .bad_nodes = bad});
    ASSERT_EQ(o.found.size(), 1u) << text(o.found);
    EXPECT_EQ(std::set(o.found[0].here.begin(), o.found[0].here.end()), bad);
    launches += o.launches, rounds += o.rounds;
  }
  fmt::print("{} launches in {} rounds for 5 of 1024\n", launches / 50.0, rounds / 50.0);
  EXPECT_LE(launches / 50.0, 90);
  EXPECT_LE(rounds / 50.0, 12);
}

TEST(Localise, SmallClusters) {
  EXPECT_EQ(text(search({.nodes = 2, .bad_nodes = {1}}).found), "one_of 0 1; ");
  for (std::size_t n = 3; n < 10; ++n)
    for (std::size_t bad = 0; bad < n; ++bad)
      EXPECT_EQ(text(search({.nodes = n, .bad_nodes = {bad}}).found),
                fmt::format("nodes {}; ", bad))
          << n;
  EXPECT_EQ(text(search({.nodes = 3, .bad_links = {{0, 1}}}).found), "between 0 and 1; ");
  EXPECT_EQ(text(search({.nodes = 4, .bad_nodes = {0, 2}}).found), "nodes 0 2; ");
  EXPECT_EQ(text(search({.nodes = 4, .bad_nodes = {0, 1, 2, 3}}).found), "one_of 0 1 2 3; ");
}

TEST(Localise, WhatIsBadOnlyBetweenGoodHalvesEndsInALinkOrLeaves) {
  for (const auto& link :
       {std::pair<std::size_t, std::size_t>{0, 1}, {3, 29}, {15, 16}, {7, 9}, {30, 31}})
    EXPECT_EQ(text(search({.nodes = 32, .bad_links = {link}}).found),
              fmt::format("between {} and {}; ", link.first, link.second));
  EXPECT_EQ(text(search({.nodes = 32, .leaf_size = 4, .bad_leaf_pairs = {{1, 6}}}).found),
            "between 4 5 6 7 and 24 25 26 27; ");
  EXPECT_EQ(text(search({.nodes = 32, .leaf_size = 4, .bad_leaf_pairs = {{2, 3}}}).found),
            "between 8 9 10 11 and 12 13 14 15; ");
  for (std::size_t leaf = 0; leaf < 8; ++leaf)
    EXPECT_EQ(
        text(search({.nodes = 32, .leaf_size = 4, .bad_leaves = {leaf}}).found),
        fmt::format("between {} {} {} {}; ", 4 * leaf, 4 * leaf + 1, 4 * leaf + 2, 4 * leaf + 3));
  // Leaves of other sizes than halves come to.
  EXPECT_EQ(text(search({.nodes = 30, .leaf_size = 6, .bad_leaf_pairs = {{0, 3}}}).found),
            "between 0 1 2 3 4 5 and 18 19 20 21 22 23; ");
  // Two leaves: there is no third to tell whose fault it is.
  EXPECT_EQ(text(search({.nodes = 8, .leaf_size = 4, .bad_leaf_pairs = {{0, 1}}}).found),
            "between 0 1 2 3 and 4 5 6 7; ");
}

TEST(Localise, NodesAndALinkAtOnce) {
  const Outcome o = search({.nodes = 64, .bad_nodes = {5, 50}, .bad_links = {{20, 40}}});
  EXPECT_EQ(text(o.found), "nodes 5 50; between 20 and 40; ");
}

TEST(Localise, WhatNeedsManyAtOnceAndWhatIsEverywhere) {
  const std::string many = text(search({.nodes = 32, .bad_from = 20}).found);
  EXPECT_TRUE(many.starts_with("together 0 1 ")) << many;
  Sick all{.nodes = 64};
  for (std::size_t n = 0; n < 64; ++n) all.bad_nodes.insert(n);
  EXPECT_TRUE(text(search(all).found).starts_with("everywhere")) << text(search(all).found);
  EXPECT_LE(search(all).launches, 62u);
  EXPECT_TRUE(text(search({.nodes = 32}).found).starts_with("unsteady")) << "it was bad once";
}

TEST(Localise, NoHealthyNodeIsBlamedWhenAnswersAreFlaky) {
  std::mt19937_64 random(7);
  int blamed = 0, named = 0, runs = 0, longest = 0;
  for (const double shows : {0.7, 0.9, 1.0})
    for (const double lies : {0.0, 0.01, 0.02})
      for (const std::size_t nodes : {8u, 32u, 100u})
        for (int i = 0; i < 40; ++i) {
          const std::set<std::size_t> bad = some_of(nodes, 1 + i % 2, random);
          const Outcome o = search(
              {.nodes = nodes, .leaf_size = 4, .bad_nodes = bad, .shows = shows, .lies = lies},
              random());
          std::set<std::size_t> guilty;
          for (const Localised& l : o.found)
            if (l.kind == Kind::nodes) guilty.insert(l.here.begin(), l.here.end());
          for (const std::size_t g : guilty)
            if (!bad.contains(g))
              ++blamed, fmt::print("{} nodes, shows {}, lies {}: {}\n", nodes, shows, lies,
                                   text(o.found));
          named += std::includes(guilty.begin(), guilty.end(), bad.begin(), bad.end());
          longest = std::max(longest, static_cast<int>(o.rounds));
          ++runs;
        }
  fmt::print("{} of {} runs named all bad nodes; at most {} rounds\n", named, runs, longest);
  EXPECT_EQ(blamed, 0);
  EXPECT_LT(longest, 100);
}
