#include "reports/verdict/rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reports/cluster/cluster_file.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

const Catalogue& known() { return builtin_catalogue(); }
Cluster parse(const std::string& rest) {
  return parse_cluster("format: accept.cluster/1\nname: c\n" + rest, "cluster.yaml", known());
}
const Finding* find(const std::vector<Finding>& all, const std::string& test,
                    const std::string& part = "") {
  for (const Finding& f : all)
    if (f.test == test && contains(f.reason, part)) return &f;
  return nullptr;
}
std::vector<Finding> of(const std::string& rest) { return judge_promise(parse(rest), known()); }

TEST(Rules, AGoodPromiseHasNoFindings) {
  EXPECT_TRUE(of("groups: {g: {nodes: 'n[1-8]', server: DGX-H100, networks: {storage: {rate: 200 "
                 "Gbit/s}, management: {rate: 1 Gbit/s}}}}\n"
                 "fabric: {name: ndr}\nspare_nodes: 1\npower: {budget: 100 kW}\n"
                 "storage: {s: {path: /s, class: lustre, write: 60 GB/s}}\n")
                  .empty());
}

TEST(Rules, EachHasItsFinding) {
  const auto few =
      of("groups: {g: {nodes: 'n[1-2]', gpus: {model: H100-SXM5-80GB, count: 8}, rails: {count: 1, "
         "rate: 400 Gbit/s}}}\n");
  EXPECT_TRUE(find(few, "rule.rail-per-gpu", "fewer than one for four"));
  EXPECT_TRUE(find(few, "rule.network-ratio"));
  EXPECT_TRUE(find(few, "rule.separate-networks", "no storage network"));
  EXPECT_TRUE(find(of("groups: {g: {nodes: 'n[1-2]', gpus: {model: L40S, count: 8}, rails: {count: "
                      "8, rate: 100 Gbit/s}}}\n"),
                   "rule.pcie-only"));
  EXPECT_TRUE(find(of("groups: {g: {nodes: 'n[1-8]', server: DGX-H100}}\nstorage: {s: {path: /s, "
                      "class: nfs}}\n"),
                   "rule.checkpoint-storage", "64 GPUs"));
  EXPECT_TRUE(find(of("groups: {g: {nodes: n1, server: DGX-H100}}\nstorage: {s: {path: /s, class: "
                      "nvme-of, write: 10 GB/s}}\n"),
                   "rule.checkpoint-storage", "50 GB/s"));
  EXPECT_TRUE(find(of("groups: {g: {nodes: 'n[1-8]', server: DGX-H100}}\n"), "rule.spare-node"));
  EXPECT_TRUE(find(of("groups: {g: {nodes: n1, server: Dell-XE9680, gpus: {model: "
                      "MI300X}}}\npower: {budget: 1 kW}\n"),
                   "rule.power", "not known"));
  EXPECT_TRUE(find(of("groups: {g: {nodes: n1, gpus: {model: L4, count: 1}, rails: {devices: [m0], "
                      "rate: 25 Gbit/s}, networks: {storage: {device: m0}}}}\n"),
                   "rule.separate-networks", "m0 is a rail and the storage network"));
}

TEST(Rules, PowerBeyondTheBudgetFailsWithTheHeat) {
  const auto all = of("groups: {g: {nodes: 'n[1-4]', server: DGX-B200}}\npower: {budget: 50 kW}\n");
  const Finding* f = find(all, "rule.power");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->verdict, Verdict::fail);
  EXPECT_PRED2(contains, f->reason, "57.2 kW");
  EXPECT_PRED2(contains, f->reason, "195175 BTU/h");
}

TEST(Rules, SeverityIsThePolicys) {
  const std::string cluster = "groups: {g: {nodes: 'n[1-8]', server: DGX-H100}}\n";
  EXPECT_EQ(find(of(cluster + "policy: {severity: {rule.spare-node: fail}}\n"), "rule.spare-node")
                ->verdict,
            Verdict::fail);
  EXPECT_FALSE(find(of(cluster + "policy: {severity: {'rule.*': ignore}}\n"), "rule.spare-node"));
  const Policy p = parse(cluster + "policy: {required: [compute, storage.check*]}\n").policy;
  EXPECT_TRUE(required_by(p, "compute.cpu_gemm"));
  EXPECT_TRUE(required_by(p, "storage.checkpoint_save"));
  EXPECT_FALSE(required_by(p, "interconnect.mpi_ping_pong"));
  EXPECT_TRUE(required_by(p, "machine.probe"));
}

TEST(Policy, SoftensTestsButNeverAContract) {
  Finding derived, contract;
  derived.test = contract.test = "storage.checkpoint_save";
  derived.verdict = contract.verdict = Verdict::fail;
  derived.reference = Reference{1.0, {}, {}, "", "", "derived"};
  contract.reference = Reference{1.0, {}, {}, "", "", "contract"};
  derived.measured = contract.measured = Measured{};
  Finding wrong;
  wrong.test = derived.test;
  wrong.verdict = Verdict::fail;
  std::vector<Finding> all{derived, contract, wrong};
  apply_policy({{}, {}, {{"storage.*", "ignore"}}}, all);
  ASSERT_EQ(all.size(), 3u) << "what was measured is never dropped";
  EXPECT_EQ(all[0].verdict, Verdict::remark);
  EXPECT_PRED2(contains, all[0].reason, "the policy makes a remark (storage.*: ignore)");
  EXPECT_EQ(all[1].verdict, Verdict::fail);
  EXPECT_EQ(all[2].verdict, Verdict::fail) << "a wrong result is no matter of taste";
}

TEST(Policy, WhatIsNotRequiredNeverHidesAContractOrACulprit) {
  Finding contract, hung, open;
  contract.test = hung.test = open.test = "storage.checkpoint_save";
  contract.verdict = hung.verdict = Verdict::not_run;
  open.verdict = Verdict::inconclusive;
  contract.reference = Reference{{}, {}, {}, "", "", "contract"};
  hung.culprits = {"n5"};
  std::vector<Finding> all{contract, hung, open};
  apply_policy({{"compute"}, {}, {}}, all);
  EXPECT_TRUE(all[0].required);
  EXPECT_TRUE(all[1].required);
  EXPECT_FALSE(all[2].required);
  EXPECT_PRED2(contains, all[2].reason, "not required by the policy");
}

Node server_with(const std::string& name, int gpus) {
  Node n = node_of(name);
  n.cpu.sockets = 2;
  n.cpu.cores = 112;
  n.memory_bytes = 2.1e12;
  for (int i = 0; i < gpus; ++i)
    n.pci.push_back({"0000:0" + std::to_string(i) + ":00.0", "0x10de", "0x2330", "display",
                     "nvidia", 32e9, 32e9, 16, 16, i / 4});
  for (int i = 0; i < 8; ++i)
    n.rdma.push_back({"mlx5_" + std::to_string(i), "InfiniBand", "4: ACTIVE", "400 Gb/sec (4X NDR)",
                      "28.39", 1});
  return n;
}

TEST(Drift, LessThanPromisedFailsAndNamesTheNode) {
  const Cluster c = parse(
      "groups: {g: {nodes: 'n[1-6]', server: DGX-H100, memory: 2.1 TB, drives: 2, rails: {devices: "
      "[mlx5_0, "
      "mlx5_1, mlx5_2, mlx5_3, mlx5_4, mlx5_5, mlx5_6, mlx5_7], rate: 400 Gbit/s},"
      " versions: {bios_version: '1.2'}}}\n");
  std::vector<Node> nodes;
  for (int i = 1; i <= 6; ++i) {
    nodes.push_back(server_with("n" + std::to_string(i), 8));
    nodes.back().drives.resize(2);
    nodes.back().system["bios_version"] = "1.2";
  }
  EXPECT_TRUE(judge_drift(c, nodes, known()).empty());
  nodes[0].pci.pop_back();
  nodes[1].memory_bytes *= 23.0 / 24;
  nodes[2].rdma[3].rate = "200 Gb/sec (4X HDR)";
  nodes[3].rdma.pop_back();
  nodes[4].system["bios_version"] = "1.1";
  nodes[5].drives.pop_back();
  nodes[5].cpu.cores = 56;
  const auto all = judge_drift(c, nodes, known());
  const auto says = [&](const std::string& metric, const std::string& part, const std::string& node,
                        Verdict v) {
    return std::any_of(all.begin(), all.end(), [&](const Finding& f) {
      return f.metric == metric && contains(f.reason, part) && f.where == std::vector{node} &&
             f.verdict == v && (v != Verdict::fail || f.culprits == f.where);
    });
  };
  EXPECT_TRUE(says("GPUs", "7 of 8", "n1", Verdict::fail));
  EXPECT_TRUE(says("memory", "2012 of", "n2", Verdict::fail)) << "a module of 24 less";
  EXPECT_TRUE(says("network", "runs at 200 of 400 Gbit/s", "n3", Verdict::fail));
  EXPECT_TRUE(says("network", "rail mlx5_7 is not there", "n4", Verdict::fail));
  EXPECT_TRUE(says("bios_version", "is 1.1, promised was 1.2", "n5", Verdict::remark));
  EXPECT_TRUE(says("drives", "1 of 2", "n6", Verdict::fail));
  EXPECT_TRUE(says("cores", "56 of 112", "n6", Verdict::fail));
  EXPECT_EQ(all.size(), 7u);
}

TEST(Drift, AccusesNobodyOfWhatItCanNotReadOrMisreads) {
  const Cluster c = parse(
      "groups: {g: {nodes: 'n[1-2]', memory: 17179869184 B, rails: {count: 8, rate: 800 Gbit/s}, "
      "networks: {storage: {device: mlx5_9}}, versions: {eth0: 28.39.1002}}}\nfabric: {kind: "
      "ethernet}\n");
  Node n = node_of("n1");
  n.memory_bytes = 15.5 * 1_GiB;  // what a kernel leaves of 16 GiB
  n.nics.push_back(
      {"eth0", "mlx5_core", "", "", 125e6, "28.39.1002 (MT_0000000838)", "up", "", true});
  for (int i = 0; i < 16; ++i)
    n.rdma.push_back(
        {"mlx5_" + std::to_string(i + 10), "Ethernet", "4: ACTIVE", "400 Gb/sec", "", 1});
  n.rdma.push_back({"mlx5_9", "Ethernet", "4: ACTIVE", "800 Gb/sec", "", 1});
  EXPECT_TRUE(judge_drift(c, {n}, known()).empty()) << "rails run as two ports of half the rate";
  n.rdma.erase(n.rdma.begin());
  auto all = judge_drift(c, {n}, known());
  ASSERT_EQ(all.size(), 1u) << "a storage port is no rail";
  EXPECT_EQ(all[0].verdict, Verdict::fail);
  EXPECT_PRED2(contains, all[0].reason, "7.5 of 8");
  n.rdma.erase(n.rdma.begin(), n.rdma.end() - 1);
  n.nics[0].speed.reset();
  all = judge_drift(c, {n}, known());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].verdict, Verdict::inconclusive) << "its port doesn't tell its rate";
  n.numa = {{0, "0-71", 480e9}, {1, "", 186e9}};
  EXPECT_TRUE(judge_build({n}, known()).empty()) << "a GPU's memory is no missing module";
}

TEST(Drift, AnotherWayToTheHeadThanTheControlNetworkIsSaid) {
  const Cluster c = parse("groups: {g: {nodes: 'n[1-3]', networks: {control: {device: eno1}}}}\n");
  std::vector<Node> nodes;
  for (const char* name : {"n1", "n2", "n3"}) {
    nodes.push_back(node_of(name, name));
    nodes.back().nics.push_back({"eno1", "igb", "", "", 125e6, {}, "up", "", true});
    nodes.back().condition.interface = "eno1";
  }
  nodes[2].condition.interface = "ib0";
  const auto all = judge_drift(c, nodes, known());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].where, std::vector<std::string>{"n3"});
  EXPECT_EQ(all[0].verdict, Verdict::remark);
  EXPECT_EQ(all[0].reason, "reached the head by ib0, the control network is eno1");
}

TEST(Build, LinksBelowTheirBestAndUnevenMemory) {
  Node n = server_with("n1", 8);
  EXPECT_TRUE(judge_build({n}, known()).empty());
  n.pci[2].link_width = 8;
  n.pci.push_back(
      {"0000:20:00.0", "0x15b3", "0x1021", "network", "mlx5_core", 16e9, 32e9, 16, 16, 0});
  n.numa = {{0, "0-55", 1e12}, {1, "56-111", 0.8e12}};
  const auto all = judge_build({n}, known());
  EXPECT_TRUE(find(all, "rule.build", "runs on 8 of 16 lanes"));
  EXPECT_TRUE(find(all, "rule.build", "runs at 16 of 32 GT/s"));
  EXPECT_TRUE(find(all, "rule.build", "have no NIC there"));
  EXPECT_TRUE(find(all, "rule.build", "800 to 1000 GB"));
}

TEST(Build, MemoryChannelsFilledAlike) {
  Node n = node_of("n1");
  n.memory_slots.assign(24, {"A", "DDR5", 64_GiB, 4.8e9, 64});
  const auto empty = [&](std::size_t filled) {
    for (std::size_t i = 0; i < 24; ++i) n.memory_slots[i].bytes = i < filled ? 64_GiB : 0;
  };
  for (const std::size_t filled : {24u, 12u, 8u}) {
    empty(filled);
    EXPECT_TRUE(judge_build({n}, known()).empty()) << filled;
  }
  empty(23);
  EXPECT_TRUE(find(judge_build({n}, known()), "rule.build", "23 of 24 slots are filled"));
  empty(24);
  n.memory_slots[7].rate = 4.4e9;
  EXPECT_TRUE(find(judge_build({n}, known()), "rule.build", "modules differ in size or rate"));
}

}  // namespace
}  // namespace acceptance
