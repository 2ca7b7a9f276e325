#include "reports/verdict/facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

struct Fleet {
  RunFiles files = run_of({}, {}, {}, {});
  std::vector<std::string> names;
  explicit Fleet(int size) {
    for (int i = 0; i < size; ++i) {
      names.push_back(fmt::format("n{:02}", i));
      files.nodes.push_back(node_of(names.back()));
      Node& n = files.nodes.back();
      n.system["bios_version"] = "2.1";
      n.system["product_serial"] = names.back();
      n.software["kernel"] = i % 2 == 0 ? "6.1.0" : "6.1.1";
      Nic nic;
      nic.name = "mlx5_0", nic.physical = true, nic.firmware = "28.43";
      n.nics = {nic};
    }
  }
  Node& operator[](std::size_t i) { return files.nodes[i]; }
  std::string apart(const std::vector<std::size_t>& low) const {
    std::vector<std::string> who;
    for (const std::size_t i : low) who.push_back(names[i]);
    return Likeness(files).set_apart(names, who);
  }
};

TEST(SetApart, WhatTheSlowOnesShareIsSaidWithTheOdds) {
  Fleet fleet(32);
  const std::vector<std::size_t> low{1, 4, 9, 16, 25};
  for (const std::size_t i : low) fleet[i].nics[0].firmware = "28.39";
  EXPECT_EQ(
      fleet.apart(low),
      "all 5 of them have NIC mlx5_0 firmware \"28.39\", which no other has (by chance in one "
      "of 50000 healthy clusters)");
  fleet[1].nics[0].firmware = "28.43";
  fleet[2].nics[0].firmware = "28.39";
  const std::string nearly = fleet.apart(low);
  EXPECT_NE(nearly.find("4 of these 5 have NIC mlx5_0 firmware \"28.39\", which 1 of the other 27"),
            std::string::npos)
      << nearly;
}

TEST(SetApart, OneAloneIsTheOnlyOneOfItsKind) {
  Fleet fleet(16);
  EXPECT_EQ(fleet.apart({3}), "") << "its serial number and its kernel tell nothing";
  fleet[3].system["bios_version"] = "2.0";
  EXPECT_EQ(fleet.apart({3}), "it alone has bios_version \"2.0\" (all others \"2.1\")");
  EXPECT_EQ(fleet.apart({4}), "");
}

TEST(SetApart, APlaceInTheLeafAndAClockCount) {
  Fleet fleet(32);
  Cluster cluster;
  for (int leaf = 0; leaf < 8; ++leaf)
    cluster.fabric.leaves[fmt::format("leaf{}", leaf)] = {fleet.names.begin() + 4 * leaf,
                                                          fleet.names.begin() + 4 * leaf + 4};
  index_nodes(cluster);
  fleet.files.promise.cluster = cluster;
  EXPECT_NE(fleet.apart({3, 7, 15, 23, 27}).find("have place in its leaf \"4\""), std::string::npos)
      << fleet.apart({3, 7, 15, 23, 27});
  EXPECT_NE(fleet.apart({8, 9, 10, 11}).find("leaf \"leaf2\""), std::string::npos);
  for (std::size_t i = 0; i < 32; ++i)
    fleet[i].cpu.measured_hz = 3e9 + 1e6 * static_cast<double>(i);
  for (const std::size_t i : {5u, 14u, 22u, 29u}) fleet[i].cpu.measured_hz = 2.1e9;
  EXPECT_NE(fleet.apart({5, 14, 22, 29}).find("among the 4 with the lowest clock"),
            std::string::npos);
}

TEST(SetApart, ChanceIsSeldomTakenForACause) {
  std::mt19937_64 random(1);
  int told = 0;
  constexpr int runs = 400;
  for (int run = 0; run < runs; ++run) {
    Fleet fleet(32);
    for (std::size_t i = 0; i < 32; ++i)
      for (int fact = 0; fact < 20; ++fact)
        fleet[i].system[fmt::format("fact{}", fact)] = std::to_string(random() % 4);
    std::vector<std::size_t> low;
    for (std::size_t i = 0; i < 32; ++i)
      if (random() % 6 == 0) low.push_back(i);
    if (low.size() > 1 && !fleet.apart(low).empty()) ++told;
  }
  EXPECT_LE(told, runs / 20);
}

}  // namespace
}  // namespace acceptance
