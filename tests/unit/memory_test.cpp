#include <gtest/gtest.h>

#include "reports/reference/reference.h"
#include "suites/inventory/probe.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

/// A structure as DSP0134 lays it out: a 64 GiB DDR5 module at 4800 MT/s.
std::string structure(std::size_t length = 0x5c) {
  std::string s(length, '\0');
  const auto put = [&](std::size_t at, unsigned value, std::size_t width) {
    for (std::size_t i = 0; i < width && at + i < length; ++i)
      s[at + i] = static_cast<char>(value >> (8 * i));
  };
  put(0, 17, 1);
  put(1, static_cast<unsigned>(length), 1);
  put(0x08, 80, 2);
  put(0x0a, 64, 2);
  put(0x0c, 0x7fff, 2);
  put(0x1c, 65536, 4);
  put(0x10, 1, 1);
  put(0x11, 2, 1);
  put(0x12, 0x22, 1);
  put(0x15, 5600, 2);
  put(0x20, 4800, 2);
  put(0x28, 3, 1);
  return s + std::string("CPU0_DIMM_A1\0NODE 0\0\0", 21);
}

TEST(MemorySlot, IsReadAsTheStandardLaysItOut) {
  const auto slot = memory_slot(structure());
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->name, "CPU0_DIMM_A1");
  EXPECT_EQ(slot->kind, "DDR5");
  EXPECT_DOUBLE_EQ(slot->bytes, 64_GiB);
  EXPECT_DOUBLE_EQ(slot->rate.value(), 4.8e9);
  EXPECT_EQ(slot->bits, 64);
}

TEST(MemorySlot, EmptySmallAndOldOnes) {
  std::string s = structure();
  s[0x0c] = s[0x0d] = 0;
  EXPECT_DOUBLE_EQ(memory_slot(s)->bytes, 0) << "empty";
  EXPECT_FALSE(memory_slot(s)->rate);
  s[0x0d] = static_cast<char>(0x80);
  s[0x0c] = 16;
  EXPECT_DOUBLE_EQ(memory_slot(s)->bytes, 16384) << "in kilobytes";
  s[0x0d] = 0x40;
  s[0x0c] = 0;
  EXPECT_DOUBLE_EQ(memory_slot(s)->bytes, 16_GiB) << "in megabytes";
  EXPECT_FALSE(memory_slot(structure(0x1c))->rate) << "a version that doesn't tell";
  s = structure();
  s[0x28] = 7;
  EXPECT_EQ(memory_slot(s)->kind, "non-volatile");
}

TEST(MemorySlot, BrokenBytesAreNoSlotAndNeverReadPastTheirEnd) {
  const std::string whole = structure();
  for (std::size_t n = 0; n < whole.size(); ++n) memory_slot(whole.substr(0, n));
  EXPECT_FALSE(memory_slot(""));
  EXPECT_FALSE(memory_slot(whole.substr(0, 0x20)));
  std::string other = whole;
  other[0] = 16;
  EXPECT_FALSE(memory_slot(other));
  other = whole;
  other[0x10] = static_cast<char>(200);
  EXPECT_EQ(memory_slot(other)->name, "");
}

TEST(MemoryBandwidth, ModulesLimitItWhereTheyAreToldAndTheMachineIsReal) {
  Node n = node_of("n");
  n.cpu.cores = 96;
  Evidence e;
  e.node = &n;
  e.core_clock = 3e9;
  const double by_cores = *memory_rate(e)->ceiling;
  n.memory_slots.assign(24, {"A", "DDR5", 64_GiB, 4.8e9, 64});
  EXPECT_DOUBLE_EQ(*memory_rate(e)->ceiling, 24 * 4.8e9 * 8);
  n.memory_slots[3].bytes = 0;
  EXPECT_DOUBLE_EQ(*memory_rate(e)->ceiling, 23 * 4.8e9 * 8) << "an empty slot carries nothing";
  n.memory_slots[4].kind = "LPDDR5";
  EXPECT_DOUBLE_EQ(*memory_rate(e)->ceiling, by_cores)
      << "soldered memory says nothing of its channels";
  n.memory_slots[4].kind = "DDR5";
  n.cpu.hypervisor = "KVM";
  EXPECT_DOUBLE_EQ(*memory_rate(e)->ceiling, by_cores) << "a virtual machine's modules are made up";
}

}  // namespace
}  // namespace acceptance
