#include "suites/compute/freivalds.h"

#include <gtest/gtest.h>

#include <random>

namespace acceptance {
namespace {

template <class Real>
struct Product {
  int n;
  std::vector<Real> a, b, c;
};

template <class Real>
Product<Real> multiplied(int n) {
  std::mt19937 random(5);
  std::uniform_real_distribution<Real> d(-1, 1);
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  Product<Real> p{n, std::vector<Real>(size), std::vector<Real>(size), std::vector<Real>(size)};
  for (Real& v : p.a) v = d(random);
  for (Real& v : p.b) v = d(random);
  const auto w = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < w; ++i)
    for (std::size_t k = 0; k < w; ++k)
      for (std::size_t j = 0; j < w; ++j) p.c[i * w + j] += p.a[i * w + k] * p.b[k * w + j];
  return p;
}

template <class Real>
bool right(const Product<Real>& p) {
  return product_is_right<Real>(p.n, p.a, p.b, p.c);
}

TEST(Freivalds, AcceptsRightProducts) {
  for (const int n : {1, 2, 17, 200}) {
    EXPECT_TRUE(right(multiplied<double>(n))) << n;
    EXPECT_TRUE(right(multiplied<float>(n))) << n;
  }
}

TEST(Freivalds, FindsOneWrongElementWhereverItIs) {
  auto p = multiplied<double>(100);
  for (const std::size_t at : {0u, 99u, 5050u, 9999u}) {
    const double kept = p.c[at];
    p.c[at] += 1e-9;
    EXPECT_FALSE(right(p)) << at;
    p.c[at] = kept;
  }
  auto f = multiplied<float>(100);
  f.c[1234] += 0.05F;
  EXPECT_FALSE(right(f));
}

TEST(Freivalds, NanAndInfinityAreWrong) {
  auto p = multiplied<float>(50);
  p.c[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(right(p));
  p.c[7] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(right(p));
}

}  // namespace
}  // namespace acceptance
