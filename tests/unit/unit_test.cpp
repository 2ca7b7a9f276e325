#include "suites/core/unit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace acceptance {
namespace {

TEST(Unit, FormatsWithThreeDigitsAndAPrefix) {
  EXPECT_EQ(format(47.5e9, Unit::bytes_per_second), "47.5 GB/s");
  EXPECT_EQ(format(1.234e-6, Unit::seconds), "1.23 us");
  EXPECT_EQ(format(0, Unit::seconds), "0 s");
  EXPECT_EQ(format(90, Unit::seconds), "90 s");
  EXPECT_EQ(format(8388608, Unit::bytes), "8 MiB");
  EXPECT_EQ(format(1, Unit::bytes), "1 B");
  EXPECT_EQ(format(0.0312, Unit::ratio), "3.12 %");
  EXPECT_EQ(format(3.69e9, Unit::hertz), "3.69 GHz");
  EXPECT_EQ(format(12, Unit::count), "12");
}

TEST(Unit, RoundsUpIntoTheNextPrefix) {
  EXPECT_EQ(format(999.96e6, Unit::bytes_per_second), "1 GB/s");
  EXPECT_EQ(format(999.4e6, Unit::bytes_per_second), "999 MB/s");
}

TEST(Unit, NeverPrintsNanOrInfinity) {
  EXPECT_EQ(format(std::nan(""), Unit::seconds), "n/a");
  EXPECT_EQ(format(std::numeric_limits<double>::infinity(), Unit::bytes), "n/a");
}

TEST(Unit, ReadsFiguresInAnyUsualUnit) {
  EXPECT_DOUBLE_EQ(parse_quantity("400 Gbit/s").value, 50e9);
  EXPECT_EQ(parse_quantity("400 Gbit/s").unit, Unit::bytes_per_second);
  EXPECT_DOUBLE_EQ(parse_quantity("8MiB").value, 8388608);
  EXPECT_DOUBLE_EQ(parse_quantity("2.5 us").value, 2.5e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("95 %").value, 0.95);
  EXPECT_DOUBLE_EQ(parse_quantity("15 min").value, 900);
  EXPECT_DOUBLE_EQ(parse_quantity("1.5 TFLOP/s").value, 1.5e12);
}

TEST(Unit, RefusesWhatIsNoFigure) {
  for (const char* bad : {"", "GB/s", "12 parsecs", "nan", "inf", "1e999 B", "1e300 GB/s", "12 mB",
                          "5 Gibit/sx", "--4 B"})
    EXPECT_THROW(parse_quantity(bad), std::invalid_argument) << bad;
  EXPECT_THROW(parse_value("5 s", Unit::bytes), std::invalid_argument);
  EXPECT_DOUBLE_EQ(parse_value("64", Unit::bytes), 64);
}

TEST(Unit, EverySymbolReadsBack) {
  for (const Unit u :
       {Unit::ratio, Unit::bytes, Unit::seconds, Unit::bytes_per_second, Unit::flop_per_second,
        Unit::per_second, Unit::hertz, Unit::celsius, Unit::watts})
    EXPECT_EQ(unit_of_symbol(symbol(u)), u) << symbol(u);
}

// What is printed must mean the same when it is read again, to its three digits.
TEST(Unit, WhatIsPrintedReadsBack) {
  for (const Unit u :
       {Unit::bytes_per_second, Unit::flop_per_second, Unit::seconds, Unit::watts, Unit::bytes})
    for (double v = 1.234e-8; v < 1e16; v *= 7.3) {
      const double value = u == Unit::bytes ? std::floor(v) + 1 : v;
      const Quantity q = parse_quantity(format(value, u));
      EXPECT_EQ(q.unit, u) << format(value, u);
      EXPECT_NEAR(q.value / value, 1, 0.006) << value << " " << format(value, u);
    }
}

}  // namespace
}  // namespace acceptance
