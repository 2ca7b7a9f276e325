#include "suites/core/text.h"

#include <gtest/gtest.h>

namespace acceptance {
namespace {

TEST(Text, Glob) {
  EXPECT_TRUE(glob("compute.*", "compute.cpu_gemm"));
  EXPECT_TRUE(glob("*gemm", "compute.cpu_gemm"));
  EXPECT_TRUE(glob("c*g*m", "compute.cpu_gemm"));
  EXPECT_TRUE(glob("?", "x"));
  EXPECT_TRUE(glob("*", ""));
  EXPECT_FALSE(glob("compute", "compute.cpu_gemm"));
  EXPECT_FALSE(glob("?", ""));
  EXPECT_FALSE(glob("*x", "compute"));
}

TEST(Text, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> words{"run", "report", "probe"};
  EXPECT_EQ(nearest("rnu", words), "run");
  EXPECT_EQ(nearest("reprot", words), "report");
  EXPECT_EQ(nearest("completely-else", words), "");
  EXPECT_EQ(suggestion("rnu", words), "; did you mean run?");
}

}  // namespace
}  // namespace acceptance
