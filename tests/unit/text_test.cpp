#include "suites/core/text.h"

#include <gtest/gtest.h>

namespace acceptance {
namespace {

TEST(Printable, LeavesWordsAndTakesWhatATerminalWouldObey) {
  for (const char* good : {"", "n1", "2 × H100, größer, 日本, 😀"})
    EXPECT_EQ(printable(good), good);
  EXPECT_EQ(printable("a\x1b[31mb\n\x7f"), "a [31mb  ");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "b"),
            "a b")
      << "C1";
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a b")
      << "right to left";
  EXPECT_EQ(printable("a\xff\xfe"
                      "b\xc3"),
            "a  b ")
      << "no UTF-8";
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "     ") << "overlong, surrogate";
}

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
