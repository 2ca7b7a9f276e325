#include "reports/cluster/wiring.h"

#include <gtest/gtest.h>

namespace acceptance {
namespace {

using Names = std::vector<std::string>;

TEST(Wiring, OfSlurm) {
  const Leaves l = leaves_of_slurm(
      "# made by hand\r\n"
      "SwitchName=leaf1 Nodes=n[01-03],x\r\n"
      "switchname=leaf2 \\\n  nodes=n04\n"
      "SwitchName=spine Switches=leaf[1-2]\n"
      "SwitchName=odd Nodes=n[1-\n"
      "SwitchName=file Nodes=@/etc/passwd\n");
  EXPECT_EQ(l, (Leaves{{"leaf1", {"n01", "n02", "n03", "x"}}, {"leaf2", {"n04"}}}));
}

TEST(Wiring, OfIbnetdiscover) {
  const Leaves l = leaves_of_ibnetdiscover(
      "#\n# Topology file: generated on Tue Mar  3 10:00:00 2026\n#\nvendid=0x2c9\n\n"
      "switchguid=0xb8599f0300a1(b8599f0300a1)\n"
      "Switch\t41 \"S-b8599f0300a1\"\t\t# \"MF0;leaf1:MQM9700/U1\" enhanced port 0 lid 3 lmc 0\n"
      "[1]\t\"H-946dae0300b1\"[1](946dae0300b1) \t\t# \"n1 mlx5_0\" lid 10 4xNDR\n"
      "[2]\t\"H-946dae0300b2\"[1](946dae0300b2) \t\t# \"n2 mlx5_0\" lid 11 4xNDR\n"
      "[33]\t\"S-b8599f0300f1\"[1]\t\t# \"MF0;spine1:MQM9700/U1\" lid 1 4xNDR\n\n"
      "Switch\t41 \"S-b8599f0300a2\"\t\t# \"no name\" base port 0 lid 4 lmc 0\n"
      "[1]\t\"H-946dae0300b3\"[1](946dae0300b3) \t\t# \"n1 mlx5_1\" lid 12 4xNDR\n\n"
      "Ca\t1 \"H-946dae0300b1\"\t\t# \"n1 mlx5_0\"\n"
      "[1](946dae0300b1) \t\"S-b8599f0300a1\"[1]\t\t# lid 10 lmc 0 \"MF0;leaf1:MQM9700/U1\" lid 3 "
      "4xNDR\n");
  EXPECT_EQ(l, (Leaves{{"leaf1", {"n1", "n2"}}, {"S-b8599f0300a2", {"n1"}}}));
}

TEST(Wiring, OfLldp) {
  const Leaves l = leaves_of_lldp(
      "n1: lldp.eth2.via=LLDP\r\n"
      "n1: lldp.eth2.chassis.name=tor-7\r\n"
      "n2: lldp.eth2.chassis.name=tor-7\n"
      "n2: lldp.eth3.chassis.name=tor-8\n"
      "lldp.eth3.chassis.name=whose\n"
      "n3: lldp.eth2.chassis.name=\n");
  EXPECT_EQ(l, (Leaves{{"tor-7", {"n1", "n2"}}, {"tor-8", {"n2"}}}));
}

TEST(Wiring, OfNothingIsNothing) {
  for (const auto parse : {leaves_of_slurm, leaves_of_ibnetdiscover, leaves_of_lldp}) {
    EXPECT_TRUE(parse("").empty());
    EXPECT_TRUE(parse("\"\"\"[[[#;=:=: lldp..chassis.name=").empty());
    EXPECT_TRUE(parse(std::string("\0\xff\n\\\n", 5)).empty());
  }
}

}  // namespace
}  // namespace acceptance
