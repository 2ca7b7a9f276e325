#include "reports/cluster/cluster_file.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

constexpr const char* small = R"(format: accept.cluster/1
name: c
groups:
  gpu: {nodes: "n[1-4]", server: DGX-H100}
)";

Cluster parse(const std::string& text) {
  return parse_cluster(text, "cluster.yaml", builtin_catalogue());
}
std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}
std::string with(const std::string& more) { return complaint(small + more); }

TEST(ClusterFile, TakesWhatTheServerModelSays) {
  const Cluster c = parse(small);
  const NodeGroup& g = c.groups.at(0);
  EXPECT_EQ(g.nodes, (std::vector<std::string>{"n1", "n2", "n3", "n4"}));
  EXPECT_EQ(g.gpu, "H100-SXM5-80GB");
  EXPECT_EQ(g.gpus, 8);
  EXPECT_EQ(g.rails.size(), 8u);
  EXPECT_DOUBLE_EQ(g.rails[0].rate, 50e9);
  EXPECT_DOUBLE_EQ(g.power, 10.2e3);
  EXPECT_EQ(group_of(c, "n3"), &g);
  EXPECT_EQ(group_of(c, "n5"), nullptr);
}

TEST(ClusterFile, ReadsAllOfIt) {
  const Cluster c = parse(R"(format: accept.cluster/1
name: whole
groups:
  gpu:
    nodes: [n1, "n[2-4]"]
    gpus: {model: H200-SXM-141GB, count: 8, domain: 8}
    cpus: {model: "Intel Xeon", sockets: 2, cores: 112}
    memory: 2 TB
    drives: 10
    power: 10 kW
    rails: {devices: [mlx5_0, mlx5_1], rate: 400 Gbit/s}
    networks: {storage: {device: mlx5_2, rate: 200 Gbit/s}, control: {device: eno1}}
    versions: {bios_version: "1.2"}
fabric: {name: ndr, shape: fat-tree, oversubscription: 2, leaves: {l1: "n[1-2]", l2: "n[3-4]"}}
storage:
  scratch: {path: /scratch, class: lustre, read: 100 GB/s, client_write: 5 GB/s, server_cache: 1 TiB}
scheduler: {kind: slurm, partition: gpu}
power: {budget: 50 kW, heat: 50 kW}
spare_nodes: 1
contract:
  interconnect.nccl_all_reduce.busbw{message=8GiB,nodes=all}: ">= 370 GB/s"
  interconnect.mpi_ping_pong.latency: "<= 5 us"
policy:
  required: [compute, interconnect.mpi_ping_pong]
  tolerance: {"interconnect.*": 5 %}
  severity: {rule.spare-node: ignore}
)");
  EXPECT_EQ(c.groups[0].nodes.size(), 4u);
  EXPECT_EQ(c.groups[0].rails.at(1).device, "mlx5_1");
  EXPECT_EQ(c.fabric.kind, "infiniband");
  EXPECT_EQ(leaf_of(c, "n3"), "l2");
  EXPECT_DOUBLE_EQ(c.storage.at(0).client_write, 5e9);
  EXPECT_EQ(c.partition, "gpu");
  ASSERT_EQ(c.contract.size(), 2u);
  EXPECT_TRUE(c.contract[0].all_nodes);
  EXPECT_EQ(c.contract[0].point.at("message"), Value(8_GiB));
  EXPECT_FALSE(c.contract[1].at_least);
  EXPECT_DOUBLE_EQ(c.policy.tolerance.at("interconnect.*"), 0.05);
}

TEST(ClusterFile, ErrorsSayFileLineKeyAndWhatWasMeant) {
  EXPECT_PRED2(contains, with("fabrik: {}\n"),
               "cluster.yaml:5: fabrik: unknown key; did you mean fabric?");
  EXPECT_PRED2(contains, with("fabric:\n  name: ndrr\n"),
               "cluster.yaml:6: fabric.name: unknown fabric 'ndrr'");
  EXPECT_PRED2(contains, with("fabric: {rate: 400 GB}\n"),
               "fabric.rate: '400 GB' has the wrong dimension");
  EXPECT_PRED2(contains, with("spare_nodes: 1\nspare_nodes: 2\n"),
               "cluster.yaml:6: spare_nodes: the key is there twice");
  EXPECT_PRED2(contains, with("storage: {s: {path: scratch, class: lustre}}\n"),
               "must begin with /");
  EXPECT_PRED2(contains, with("storage: {s: {path: /s, class: lustr}}\n"), "did you mean lustre?");
  EXPECT_PRED2(contains, with("scheduler: {kind: pbs}\n"),
               "'pbs' is none of slurm, ssh, kubernetes");
  EXPECT_PRED2(contains, with("power: {budget: 0 W}\n"), "must be more than zero");
  EXPECT_PRED2(contains, with("fabric: {leaves: {l1: n9}}\n"), "n9 is in no group");
  EXPECT_PRED2(contains, with("fabric: {leaves: {l1: n1, l2: n1}}\n"),
               "n1 hangs on another leaf already");
  EXPECT_PRED2(contains, complaint("format: accept.cluster/1\nname: c\ngroups: {}\n"),
               "at least one group");
  EXPECT_PRED2(contains, complaint("format: accept.cluster/2\nname: c\n"),
               "must be accept.cluster/1");
  EXPECT_PRED2(
      contains,
      complaint("format: accept.cluster/1\nname: c\ngroups: {a: {nodes: n1}, b: {nodes: n1}}\n"),
      "groups.b.nodes: n1 is in another group already");
  EXPECT_PRED2(
      contains,
      complaint("format: accept.cluster/1\nname: c\ngroups: {a: {nodes: '@/etc/passwd'}}\n"),
      "host files are not read here");
  EXPECT_PRED2(contains,
               complaint("format: accept.cluster/1\nname: c\ngroups: {a: {nodes: 'n1;rm'}}\n"),
               "groups.a.nodes: ");
  EXPECT_PRED2(contains,
               complaint("format: accept.cluster/1\nname: c\ngroups: {a: {nodes: ['n[1-60000]', "
                         "'m[1-60000]']}}\n"),
               "more than 65536 nodes");
  EXPECT_PRED2(
      contains,
      complaint(
          "format: accept.cluster/1\nname: c\ngroups: {a: {nodes: n1, server: Dell-XE9680}}\n"),
      "sold with different GPUs");
}

TEST(Contract, IsReadStrictly) {
  const auto wrong = [](const std::string& key, const std::string& value) -> std::string {
    try {
      parse_contract(key, value);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(wrong("interconnect.rdma_write_bandwidth.bandwidth{memory=host}", ">= 380 Gbit/s"), "");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduc.busbw", ">= 1 GB/s"),
               "did you mean interconnect.nccl_all_reduce?");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduce.busbv", ">= 1 GB/s"),
               "no metric 'busbv'; did you mean busbw?");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduce.busbw{mesage=1MiB}", ">= 1 GB/s"),
               "no parameter 'mesage'; did you mean message?");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduce.busbw{message=1s}", ">= 1 GB/s"),
               "wrong dimension");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduce.busbw{nodes=some}", ">= 1 GB/s"),
               "must be all or a number");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduce.busbw", "<= 1 GB/s"),
               "is better when higher");
  EXPECT_PRED2(contains, wrong("interconnect.rdma_write_latency.latency", ">= 1 us"),
               "is better when lower");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduce.busbw", ">= 1 s"),
               "wrong dimension; busbw is in B/s");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduce.busbw", "370 GB/s"),
               "must begin with >= or <=");
  EXPECT_PRED2(contains, wrong("interconnect.nccl_all_reduce.busbw", ">= 0 GB/s"),
               "must be more than zero");
  EXPECT_PRED2(contains, wrong("busbw", ">= 1 GB/s"), "must be suite.test.metric");
}

TEST(ClusterFile, ThinksOfClustersOneHasNot) {
  const Cluster c = imagined_cluster("dgx-h200", 16, "ndr", builtin_catalogue());
  EXPECT_EQ(node_names(c).size(), 16u);
  EXPECT_EQ(c.groups[0].gpu, "H200-SXM-141GB");
  EXPECT_EQ(c.fabric.name, "infiniband-ndr");
  EXPECT_THROW(imagined_cluster("dgx-h201", 16, "", builtin_catalogue()), std::invalid_argument);
  EXPECT_THROW(imagined_cluster("dgx-h200", 0, "", builtin_catalogue()), std::invalid_argument);
  EXPECT_THROW(imagined_cluster("dgx-h200", 2, "token-ring", builtin_catalogue()),
               std::invalid_argument);
}

TEST(Presets, AreAllReadable) {
  EXPECT_EQ(preset_names().size(), 7u);
  for (const std::string& name : preset_names())
    EXPECT_NO_THROW(parse_cluster(preset(name), name, builtin_catalogue())) << name;
  EXPECT_THROW(preset("enterprize"), std::invalid_argument);
}

TEST(ClusterFile, TenThousandLinesTakeNoTime) {
  std::string text = "format: accept.cluster/1\nname: big\ngroups:\n";
  for (int i = 0; i < 2000; ++i)
    text += "  g" + std::to_string(i) + ":\n    nodes: n" + std::to_string(i) +
            "\n    server: DGX-H200\n    drives: 2\n    memory: 2 TB\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parse(text).groups.size(), 2000u);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(taken.count()));
}

}  // namespace
}  // namespace acceptance
