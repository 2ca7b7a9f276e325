#include "suites/core/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "suites/core/json.h"

namespace acceptance {
namespace {

TEST(Samples, KeepsSixtyFourRawThenBins) {
  Samples s;
  for (int i = 1; i <= 64; ++i) s.add(i);
  EXPECT_EQ(s.raw().size(), 64u);
  s.add(65);
  EXPECT_TRUE(s.raw().empty());
  EXPECT_EQ(s.count(), 65u);
  EXPECT_DOUBLE_EQ(s.min(), 1);
  EXPECT_DOUBLE_EQ(s.max(), 65);
  EXPECT_DOUBLE_EQ(s.mean(), 33);
  EXPECT_NEAR(s.median(), 33, 33 * 0.0006);
}

TEST(Samples, HistogramAgreesWithTheValuesThemselves) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> d(-11, 0.5);
  std::vector<double> values(20000);
  for (double& v : values) v = d(random);
  const Samples s{values};
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999})
    EXPECT_NEAR(s.quantile(q) / quantile(values, q), 1, 0.002) << q;
  EXPECT_LT(s.bins().size(), 6000u);
  double sum = 0, mean = s.mean();
  for (double v : values) sum += (v - mean) * (v - mean);
  EXPECT_NEAR(s.deviation() / std::sqrt(sum / 19999), 1, 1e-9);
  EXPECT_LT(s.interval()->low, s.median());
  EXPECT_GT(s.interval()->high, s.median());
}

TEST(Samples, TakesZeroAndNegativeValues) {
  Samples s;
  for (int i = 0; i < 100; ++i) s.add(i - 50);
  EXPECT_DOUBLE_EQ(s.min(), -50);
  EXPECT_NEAR(s.median(), -0.5, 1.1);
  EXPECT_NEAR(s.quantile(0.1), -40, 1);
}

TEST(Samples, RefusesWhatIsNotFinite) {
  Samples s;
  EXPECT_THROW(s.add(std::nan("")), std::invalid_argument);
  EXPECT_THROW(s.add(INFINITY), std::invalid_argument);
  EXPECT_THROW(s.median(), std::invalid_argument);
}

TEST(Samples, SurvivesTheFile) {
  for (const int n : {1, 64, 1000}) {
    Samples s;
    for (int i = 0; i < n; ++i) s.add(1 + i * 0.01);
    const Samples back = Json::parse(dump(Json(s))).get<Samples>();
    EXPECT_EQ(back.count(), s.count());
    EXPECT_DOUBLE_EQ(back.median(), s.median());
    EXPECT_DOUBLE_EQ(back.max(), s.max());
    EXPECT_NEAR(back.deviation(), s.deviation(), 1e-12);
  }
}

}  // namespace
}  // namespace acceptance
