#include "reports/reference/reference.h"

#include <gtest/gtest.h>

#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

Node zen4() {
  Node n = node_of("n");
  n.cpu.vendor = "AuthenticAMD";
  n.cpu.family = 25;
  n.cpu.model_number = 17;
  n.cpu.features = {"avx2", "fma", "avx512f"};
  return n;
}

TEST(CpuGemm, PeakFollowsFromCoresClockAndWidth) {
  Node n = zen4();
  Evidence e;
  e.node = &n;
  e.core_clock = 3.7e9;
  e.threads = 2;
  const auto fp64 = cpu_gemm_rate({{"precision", "fp64"}}, e),
             fp32 = cpu_gemm_rate({{"precision", "fp32"}}, e);
  ASSERT_TRUE(fp64 && fp32);
  EXPECT_DOUBLE_EQ(*fp64->ceiling, 2 * 3.7e9 * 16 * 1.05);
  EXPECT_DOUBLE_EQ(*fp32->ceiling, 2 * *fp64->ceiling);
  EXPECT_NE(fp64->derivation, "");
  EXPECT_NE(fp64->source, "");
}

TEST(CpuGemm, AFloorOnlyOnBareMetalOfAKnownCoreWithAKnownClock) {
  Node n = zen4();
  Evidence e;
  e.node = &n;
  e.core_clock = 3.7e9;
  e.threads = 1;
  const Point p{{"precision", "fp64"}};
  EXPECT_FALSE(cpu_gemm_rate(p, e)->floor) << "no clock data";
  n.cpu.max_hz = 3.7e9;
  EXPECT_TRUE(cpu_gemm_rate(p, e)->floor);
  n.cpu.hypervisor = "KVM";
  EXPECT_FALSE(cpu_gemm_rate(p, e)->floor) << "virtual";
  n.cpu.hypervisor.reset();
  n.cpu.family = 99;
  EXPECT_FALSE(cpu_gemm_rate(p, e)->floor)
      << "an unknown core gets the highest ceiling and no floor";
  EXPECT_GT(*cpu_gemm_rate(p, e)->ceiling, 3.7e9 * 16 * 1.05);
}

TEST(CpuGemm, NothingWithoutAClock) {
  Node n = zen4();
  Evidence e;
  e.node = &n;
  EXPECT_FALSE(cpu_gemm_rate({}, e));
}

TEST(Storage, IsNotFasterThanTheMemoryItGoesThrough) {
  Node n = node_of("n");
  Evidence e;
  e.node = &n;
  EXPECT_FALSE(reference_for("storage.checkpoint_restore", "rate", {}, e))
      << "no copy was measured";
  e.memory_copy = 40e9;
  EXPECT_DOUBLE_EQ(*reference_for("storage.checkpoint_restore", "rate", {}, e)->ceiling, 40e9);
  EXPECT_FALSE(reference_for("storage.checkpoint_restore", "time", {}, e));
}

TEST(Messages, HaveALimitOnlyWithinOneMachine) {
  Node n = node_of("n");
  n.cpu.measured_hz = 3e9;
  Evidence e;
  e.node = &n;
  EXPECT_FALSE(reference_for("interconnect.mpi_ping_pong", "bandwidth", {}, e));
  e.one_machine = true;
  EXPECT_TRUE(reference_for("interconnect.mpi_ping_pong", "bandwidth", {}, e)->ceiling);
}

}  // namespace
}  // namespace acceptance
