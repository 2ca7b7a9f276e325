#include "reports/verdict/preflight.h"

#include <gtest/gtest.h>

#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

std::vector<Node> fleet(int size) {
  std::vector<Node> nodes;
  for (int i = 1; i <= size; ++i) {
    Node n = node_of("n" + std::to_string(i), "boot" + std::to_string(i));
    n.system["kernel"] = "Linux 6.1.0";
    n.system["product_name"] = "DGX";
    n.condition.mpi = "Open MPI v4.1.4";
    n.condition.clock_offset = 0.01;
    n.condition.clock_uncertainty = 0.001;
    n.condition.shared_memory = 64e9;
    n.condition.open_files = 65536;
    n.condition.temporary_free = 1e10;
    n.condition.load = 0.2;
    for (int g = 0; g < 8; ++g)
      n.pci.push_back({"0000:0" + std::to_string(g) + ":00.0",
                       "0x10de",
                       "0x2330",
                       "accelerator",
                       "",
                       {},
                       {},
                       {},
                       {},
                       {}});
    nodes.push_back(std::move(n));
  }
  return nodes;
}

TEST(Preflight, AHealthyFleetGetsNoWord) {
  for (int size : {1, 2, 3, 8}) EXPECT_TRUE(judge_preflight(fleet(size)).empty()) << size;
}

TEST(Preflight, SevenOfEightDevicesAreNamedWithTheNode) {
  auto nodes = fleet(4);
  nodes[2].pci.pop_back();
  const auto f = judge_preflight(nodes);
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].verdict, Verdict::fail);
  EXPECT_EQ(f[0].culprits, std::vector<std::string>{"n3"});
  EXPECT_NE(f[0].reason.find("7 of 8"), std::string::npos) << f[0].reason;
}

TEST(Preflight, ServersOfAnotherModelMayHaveOtherDevices) {
  auto nodes = fleet(4);
  nodes[3].system["product_name"] = "login node";
  nodes[3].pci.clear();
  EXPECT_TRUE(judge_preflight(nodes).empty());
}

TEST(Preflight, AClockAnHourOffIsItsNodesFaultWhicheverItIs) {
  for (const double off : {3600.0, -3600.0}) {
    auto nodes = fleet(4);
    *nodes[1].condition.clock_offset += off;
    const auto f = judge_preflight(nodes);
    ASSERT_EQ(f.size(), 1u);
    EXPECT_EQ(f[0].culprits, std::vector<std::string>{"n2"});
    EXPECT_EQ(f[0].metric, "clock");
  }
  auto nodes = fleet(4);  // the head's own: all nodes agree with one another
  for (Node& n : nodes) *n.condition.clock_offset += 3600;
  EXPECT_TRUE(judge_preflight(nodes).empty());
  nodes = fleet(4);
  *nodes[0].condition.clock_offset += 2;
  EXPECT_EQ(judge_preflight(nodes).at(0).verdict, Verdict::remark);
}

TEST(Preflight, AnotherMpiIsTheOddOnesFaultAndNobodysWhereThereIsNoMost) {
  auto nodes = fleet(3);
  nodes[0].condition.mpi = "Open MPI v5.0.1";
  auto f = judge_preflight(nodes);
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].culprits, std::vector<std::string>{"n1"});
  nodes.pop_back();
  f = judge_preflight(nodes);
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].verdict, Verdict::fail);
  EXPECT_TRUE(f[0].culprits.empty());
}

TEST(Preflight, LimitsThatStopOnlyWhatTheNodeHas) {
  auto nodes = fleet(2);
  nodes[0].condition.locked_memory = 8 << 20;
  EXPECT_TRUE(judge_preflight(nodes).empty()) << "no RDMA there";
  nodes[0].rdma.push_back({"mlx5_0", "InfiniBand", "ACTIVE", "400", "", 1});
  nodes[0].memory_bytes = 1e12;
  nodes[1].condition.shared_memory = 64 << 20;
  nodes[1].condition.load = 40;
  const auto f = judge_preflight(nodes);
  ASSERT_EQ(f.size(), 3u);
  for (const Finding& x : f) {
    EXPECT_EQ(x.verdict, Verdict::remark);
    EXPECT_FALSE(x.remedy.empty());
  }
}

TEST(Preflight, AControlNetworkOnARailIsSaid) {
  auto nodes = fleet(2);
  Nic nic;
  nic.name = "ib0";
  nic.rdma = "mlx5_0";
  nodes[1].nics.push_back(nic);
  nodes[1].condition.interface = "ib0";
  const auto f = judge_preflight(nodes);
  ASSERT_EQ(f.size(), 1u);
  EXPECT_EQ(f[0].where, std::vector<std::string>{"n2"});
}

}  // namespace
}  // namespace acceptance
