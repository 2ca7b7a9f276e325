#include "reports/cluster/draft.h"

#include <gtest/gtest.h>

#include "reports/cluster/cluster_file.h"
#include "reports/verdict/rules.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

const Catalogue& known() { return builtin_catalogue(); }

Node server(const std::string& name, int gpus, const std::string& product = "DGXH100") {
  Node n = node_of(name, name);
  n.system["product_name"] = product;
  n.system["bios_version"] = "1.2";
  n.cpu.model = "Intel(R) Xeon(R) Platinum 8480C: \"a\" #1";
  n.cpu.sockets = 2;
  n.cpu.cores = 112;
  n.memory_bytes = 2.1e12;
  n.condition.interface = "eno1";
  n.nics.push_back({"eno1", "igb", "", "", 125e6, {}, "up", "", true});
  for (int i = 0; i < gpus; ++i)
    n.pci.push_back({"0000:0" + std::to_string(i) + ":00.0",
                     "0x10de",
                     "0x2330",
                     "display",
                     "nvidia",
                     {},
                     {},
                     {},
                     {},
                     {}});
  for (int i = 0; i < 8; ++i)
    n.rdma.push_back({"mlx5_" + std::to_string(i), "InfiniBand", "4: ACTIVE", "400 Gb/sec (4X NDR)",
                      "28.39", 1});
  n.rdma.push_back({"mlx5_8", "Ethernet", "4: ACTIVE", "25 Gb/sec", "28.39", 1});
  return n;
}

TEST(Draft, RecognisesAndGroupsAndCanBeReadBack) {
  const std::string text = draft_cluster(
      {server("n1", 8), server("n2", 8), server("login", 0, "Some box")},
      {"big one: #1", "slurm", "gpu", "", {{"leaf1", {"n1", "n2", "x"}}}, "topology.conf", {}},
      known());
  const Cluster c = parse_cluster(text, "draft", known());
  EXPECT_EQ(c.name, "big one: #1");
  ASSERT_EQ(c.groups.size(), 2u) << text;
  EXPECT_EQ(c.groups[0].server, "DGX-H100");
  EXPECT_EQ(c.groups[0].gpus, 8);
  EXPECT_EQ(c.groups[0].cpu, server("x", 0).cpu.model);
  EXPECT_EQ(c.groups[0].rails.size(), 8u);
  EXPECT_EQ(c.groups[0].rails[7].device, "mlx5_7");
  EXPECT_EQ(c.fabric.name, "infiniband-ndr");
  EXPECT_EQ(c.fabric.leaves.at("leaf1"), (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(c.partition, "gpu");
  EXPECT_PRED2(contains, text, "# guess");
}

TEST(Draft, NeverWritesADefectDownAsThePromise) {
  std::vector<Node> nodes{server("n1", 8), server("n2", 7), server("n3", 8)};
  nodes[1].rdma.erase(nodes[1].rdma.begin() + 3);
  nodes[2].memory_bytes = 1.9e12;
  nodes[2].system["bios_version"] = "1.1";
  nodes[0].rdma[0].rate = "200 Gb/sec (4X HDR)";
  const Cluster c =
      parse_cluster(draft_cluster(nodes, {"c", "", "", "", {}, "", {}}, known()), "draft", known());
  ASSERT_EQ(c.groups.size(), 1u);
  EXPECT_EQ(c.groups[0].gpus, 8);
  EXPECT_EQ(c.groups[0].rails.size(), 8u);
  EXPECT_NEAR(c.groups[0].memory, 2.1e12, 1e6);
  EXPECT_EQ(c.groups[0].versions.at("bios_version"), "1.2");
  const auto drift = judge_drift(c, nodes, known());
  const auto blamed = [&](const std::string& metric) {
    for (const Finding& f : drift)
      if (f.metric == metric) return f.where;
    return std::vector<std::string>{};
  };
  EXPECT_EQ(blamed("GPUs"), std::vector<std::string>{"n2"});
  EXPECT_EQ(blamed("memory"), std::vector<std::string>{"n3"});
  EXPECT_EQ(blamed("bios_version"), std::vector<std::string>{"n3"});
}

TEST(Draft, AllNodesShortOfAGpuAreShortByTheModel) {
  const std::vector<Node> nodes{server("n1", 7), server("n2", 7)};
  const Cluster c =
      parse_cluster(draft_cluster(nodes, {"c", "", "", "", {}, "", {}}, known()), "draft", known());
  EXPECT_EQ(c.groups.at(0).gpus, 8);
  const auto drift = judge_drift(c, nodes, known());
  ASSERT_EQ(drift.size(), 1u);
  EXPECT_EQ(drift[0].where, (std::vector<std::string>{"n1", "n2"}));
}

TEST(Draft, AServerCanBeNamed) {
  const std::vector<Node> nodes{server("n1", 8, "To be filled by O.E.M.")};
  EXPECT_EQ(parse_cluster(draft_cluster(nodes, {"c", "", "", "HGX-H100-8", {}, "", {}}, known()),
                          "d", known())
                .groups[0]
                .server,
            "HGX-H100-8");
  EXPECT_THROW(draft_cluster(nodes, {"c", "", "", "HGX", {}, "", {}}, known()),
               std::invalid_argument);
}

TEST(Draft, HostileWordsStayWords) {
  Node n = server("n1", 1, "a\nname: evil\n#'\"\\");
  n.system["bios_version"] = "1: {2";
  n.cpu.model = "yes\x1b[31m";
  n.pci[0].vendor = "0x10de";
  n.pci[0].device = "0xffff\ncontract: {a: b}\n";
  for (RdmaPort& p : n.rdma) p.device += "\nspare_nodes: 7\n";
  const Cluster c =
      parse_cluster(draft_cluster({n}, {"no", "", "", "", {}, "", {}}, known()), "draft", known());
  EXPECT_EQ(c.name, "no");
  EXPECT_EQ(c.groups[0].cpu, "yes [31m");
  EXPECT_EQ(c.spare_nodes, 0);
  EXPECT_TRUE(c.contract.empty());
  EXPECT_EQ(c.groups[0].versions.at("bios_version"), "1: {2");
}

TEST(Draft, ANodeThatDoesNotAnswerIsPromisedAllTheSame) {
  DraftFacts facts;
  facts.name = "c";
  facts.silent = {"n3", "n10"};
  std::string text = draft_cluster({server("n2", 8), server("n11", 8)}, facts, known());
  EXPECT_EQ(node_names(parse_cluster(text, "draft", known())),
            (std::vector<std::string>{"n2", "n3", "n10", "n11"}));
  EXPECT_PRED2(contains, text, "n3,n10 did not answer");
  // With several kinds nobody can say which kind it is of.
  text = draft_cluster({server("n2", 8), server("login", 0, "Some box")}, facts, known());
  EXPECT_EQ(node_names(parse_cluster(text, "draft", known())),
            (std::vector<std::string>{"n2", "login"}));
  EXPECT_PRED2(contains, text, "# n3,n10 did not answer: put them into the group");
}

}  // namespace
}  // namespace acceptance
