#include "suites/core/statistics.h"

#include <gtest/gtest.h>

#include <random>

#include "suites/core/sampling.h"

namespace acceptance {
namespace {

TEST(Statistics, MedianAndQuantiles) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{3}), 3);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{1, 2}, 2.0), 2);
  EXPECT_THROW(median({}), std::invalid_argument);
}

// Ranks from published tables of the sign test's confidence interval (two-sided, at least 95 %).
TEST(Statistics, MedianIntervalRanksAreTheTables) {
  EXPECT_FALSE(median_interval_ranks(5));
  EXPECT_EQ(median_interval_ranks(6), (std::pair<std::size_t, std::size_t>{0, 5}));
  EXPECT_EQ(median_interval_ranks(10), (std::pair<std::size_t, std::size_t>{1, 8}));
  EXPECT_EQ(median_interval_ranks(20), (std::pair<std::size_t, std::size_t>{5, 14}));
  EXPECT_EQ(median_interval_ranks(50), (std::pair<std::size_t, std::size_t>{17, 32}));
}

TEST(Statistics, IntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937 random(1);
  std::exponential_distribution<double> skewed(1);
  int covered = 0;
  constexpr int runs = 4000;
  for (int i = 0; i < runs; ++i) {
    std::vector<double> v(15);
    for (double& x : v) x = skewed(random);
    const auto interval = median_interval(v);
    covered += interval->low <= std::log(2.0) && std::log(2.0) <= interval->high;
  }
  EXPECT_GE(covered, runs * 94 / 100);
}

TEST(Statistics, NoWidthWhereNoneExists) {
  EXPECT_FALSE(relative_half_width(std::vector<double>{1, 1, 1}));
  EXPECT_FALSE(relative_half_width(std::vector<double>(8, 0.0)));
  EXPECT_DOUBLE_EQ(*relative_half_width(std::vector<double>(8, 2.0)), 0);
}

TEST(Sampling, StopsWhenTheMedianIsKnownWellEnough) {
  const Sampling rule{0.02, 8, 2};
  EXPECT_FALSE(enough(std::vector<double>(7, 1.0), 0.1, rule));
  EXPECT_TRUE(enough(std::vector<double>(8, 1.0), 0.1, rule));
  const std::vector<double> wild{1, 2, 1, 2, 1, 2, 1, 2};
  EXPECT_FALSE(enough(wild, 0.1, rule));
  EXPECT_TRUE(enough(wild, 2.0, rule)) << "the time is over";
  EXPECT_FALSE(enough(std::vector<double>{1, 1}, 2.0, rule)) << "the minimum comes before the time";
  EXPECT_TRUE(enough(std::vector<double>{1, 1}, 20.0, rule)) << "but not without end";
}

TEST(Sampling, WarmUpEndsWhenRepetitionsAgree) {
  const Sampling rule{0.02, 8, 2};
  EXPECT_FALSE(warm({}, 10, rule));
  EXPECT_FALSE(warm(std::vector<double>{1.5, 1, 1}, 0.1, rule));
  EXPECT_TRUE(warm(std::vector<double>{1.5, 1, 1, 1.01}, 0.1, rule));
  EXPECT_TRUE(warm(std::vector<double>{1.5}, 0.6, rule));
}

}  // namespace
}  // namespace acceptance
