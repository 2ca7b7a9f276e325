#include "runner/plan/rounds.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace acceptance {
namespace {

std::vector<std::string> unknown(std::size_t nodes) { return std::vector<std::string>(nodes); }

TEST(PairRounds, EveryoneMeetsEveryoneOnceAndNobodyIsTwiceInARound) {
  for (std::size_t n = 0; n <= 41; ++n) {
    std::set<std::pair<std::size_t, std::size_t>> met;
    const auto rounds = pair_rounds(n);
    if (n >= 2) {
      EXPECT_EQ(rounds.size(), n % 2 == 0 ? n - 1 : n) << n;
    }
    for (const auto& round : rounds) {
      std::set<std::size_t> busy;
      for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_LT(b, n);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second) << n;
        EXPECT_TRUE(met.insert({a, b}).second) << n;
      }
    }
    EXPECT_EQ(met.size(), n < 2 ? 0 : n * (n - 1) / 2) << n;
  }
}

TEST(PlannedRounds, OfManyEveryoneMeetsTheSameNumberOfOthersEachOnce) {
  EXPECT_EQ(planned_rounds(unknown(64)).size(), 63u);
  for (const std::size_t n : {65u, 128u, 1001u}) {
    std::map<std::size_t, std::set<std::size_t>> met;
    const auto rounds = planned_rounds(unknown(n));
    EXPECT_EQ(rounds.size(), rounds_beyond);
    for (const auto& round : rounds) {
      std::set<std::size_t> busy;
      for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(met[a].insert(b).second && met[b].insert(a).second);
      }
    }
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_GE(met[i].size() + n % 2, rounds_beyond) << "with an odd number one rests each round";
    EXPECT_EQ(planned_rounds(unknown(n)), rounds) << "always the same";
  }
}

TEST(PlannedRounds, WithLeavesHalfOfThemStayWithinAndHalfGoAcross) {
  struct Shape {
    std::size_t leaves, each;
  };
  for (const auto& [leaves, each] : {Shape{8, 16}, Shape{5, 31}, Shape{2, 100}, Shape{128, 32}}) {
    std::vector<std::string> leaf;
    for (std::size_t i = 0; i < leaves * each; ++i)
      leaf.push_back("leaf" + std::to_string(i % leaves));
    const auto rounds = planned_rounds(leaf);
    ASSERT_EQ(rounds.size(), rounds_beyond);
    std::map<std::size_t, int> within, across;
    std::set<std::pair<std::size_t, std::size_t>> met;
    for (const Round& round : rounds) {
      std::set<std::size_t> busy;
      for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(met.insert({a, b}).second) << "a pair twice would be one assignment twice";
        auto& count = leaf[a] == leaf[b] ? within : across;
        ++count[a], ++count[b];
      }
    }
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      EXPECT_GE(within[i] + static_cast<int>(each % 2), 4) << i << " of " << leaves << " leaves";
      EXPECT_GE(across[i], 2) << i << " of " << leaves << " leaves";
    }
    EXPECT_EQ(planned_rounds(leaf), rounds);
  }
}

TEST(PlannedRounds, LeavesOfOneNodeEachMeetAcross) {
  std::vector<std::string> leaf;
  for (int i = 0; i < 100; ++i) leaf.push_back(std::to_string(i));
  const auto rounds = planned_rounds(leaf);
  EXPECT_EQ(rounds.size(), rounds_beyond);
  for (const Round& r : rounds) EXPECT_GE(r.size(), 40u);
}

}  // namespace
}  // namespace acceptance
