#include "reports/reference/expect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "reports/cluster/cluster_file.h"
#include "reports/reference/derive.h"
#include "reports/verdict/judge.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

const Catalogue& known() { return builtin_catalogue(); }
Setup all_reduce(const std::string& gpu, int gpus, int nodes, int rails, double gigabits) {
  acceptance::Setup s;
  s.test = "interconnect.nccl_all_reduce";
  s.metric = "busbw";
  s.gpu = gpu;
  s.gpus = gpus;
  s.nodes = nodes;
  s.rails = rails;
  s.rate = gigabits * 1e9 / 8;
  s.message = 8_GiB;
  return s;
}

TEST(Pcie, RatesFollowFromGenerationAndWidth) {
  EXPECT_NEAR(pcie_payload_rate(3, 16), 15.05e9, 0.05e9);
  EXPECT_NEAR(pcie_payload_rate(5, 16), 60.2e9, 0.1e9);
  EXPECT_DOUBLE_EQ(pcie_payload_rate(4, 8) * 2, pcie_payload_rate(4, 16));
  EXPECT_THROW(pcie_payload_rate(7, 16), std::invalid_argument);
}

TEST(Derivation, OrderIsFloorTypicalCeiling) {
  for (const std::string& name : preset_names()) {
    const Cluster c = parse_cluster(preset(name), name, known());
    const std::vector<Expected> all = expectations(c, known());
    EXPECT_GT(all.size(), 10u) << name;
    for (const Expected& e : all) {
      const Reference& r = e.reference;
      const std::string what = name + " " + e.test + "." + e.metric;
      EXPECT_FALSE(r.derivation.empty()) << what;
      EXPECT_FALSE(r.source.empty()) << what;
      for (const auto& value : {r.floor, r.typical, r.ceiling})
        if (value) {
          EXPECT_TRUE(std::isfinite(*value) && *value > 0) << what;
        }
      if (r.authority == "contract" || e.metric == "latency" || e.metric == "time") continue;
      if (r.floor && r.typical) {
        EXPECT_LT(*r.floor, *r.typical) << what;
      }
      if (r.typical && r.ceiling) {
        EXPECT_LE(*r.typical, *r.ceiling) << what;
      }
    }
  }
}

TEST(AllReduce, AnUnknownAlgorithmGetsTheHighestCeilingAndTheLowestFloor) {
  acceptance::Setup s = all_reduce("H100-SXM5-80GB", 8, 1, 0, 0);
  const auto unknown = derive(known(), s);
  s.algorithm = "ring";
  const auto ring = derive(known(), s);
  s.algorithm = "nvls";
  const auto nvls = derive(known(), s);
  ASSERT_TRUE(unknown && ring && nvls);
  EXPECT_DOUBLE_EQ(*unknown->ceiling, *nvls->ceiling);
  EXPECT_DOUBLE_EQ(*unknown->floor, *ring->floor);
  EXPECT_GT(*nvls->ceiling, 450e9) << "in the switch busbw may exceed the links";
  EXPECT_DOUBLE_EQ(*ring->ceiling, 450e9);
}

TEST(Floors, AreNotAskedOfWhatTheyWereNotPublishedFor) {
  const auto busbw = [&](const char* test, acceptance::Setup s) {
    s.test = std::string("interconnect.nccl_") + test;
    const auto r = derive(known(), s);
    EXPECT_TRUE(r) << test;
    return r.value_or(Reference{});
  };
  auto two = all_reduce("MI300X", 2, 1, 0, 0);
  EXPECT_FALSE(busbw("all_reduce", two).floor) << "two of eight have one link of seven";
  EXPECT_NEAR(*busbw("all_gather", two).ceiling, 64e9, 1e9);
  EXPECT_TRUE(busbw("all_reduce", all_reduce("MI300X", 8, 1, 0, 0)).floor);
  EXPECT_FALSE(busbw("all_reduce", all_reduce("GB200", 4, 1, 0, 0)).floor) << "a board of four";
  for (const int gpus : {1, 2, 4})
    EXPECT_FALSE(busbw("all_gather", all_reduce("L40S", gpus, 4, 1, 400)).floor) << "PCIe alone";
  auto small = all_reduce("B200-SXM-180GB", 8, 4, 8, 400);
  EXPECT_TRUE(busbw("all_reduce", small).floor);
  small.message = 256_MiB;
  EXPECT_FALSE(busbw("all_reduce", small).floor) << "start-up";
  small.message = 8_GiB;
  small.fabric = "ethernet";
  EXPECT_FALSE(busbw("all_reduce", small).floor) << "sockets";
}

TEST(Domains, GiveAFloorOnlyWhereItIsToldWhoSharesOne) {
  const auto floor_of = [&](int promised, int measured) {
    const Cluster c = imagined_cluster("DGX-GB200-NVL72", promised, "ndr", known());
    auto names = node_names(c);
    names.resize(static_cast<std::size_t>(measured));
    return promised_reference(c, known(), "interconnect.nccl_all_to_all", "busbw",
                              {{"message", 8_GiB}}, names)
        ->floor;
  };
  EXPECT_TRUE(floor_of(18, 18));
  EXPECT_TRUE(floor_of(18, 2)) << "one domain holds all";
  EXPECT_TRUE(floor_of(36, 36)) << "two full ones";
  EXPECT_FALSE(floor_of(36, 2)) << "of one rack, or of two";
  EXPECT_FALSE(floor_of(20, 20)) << "a rack of two nodes has a tenth of the rails";
}

TEST(Contract, BeyondADerivedCeilingLiftsIt) {
  const Cluster c = parse_cluster(
      "{format: accept.cluster/1, name: c, groups: {g: {nodes: 'n[1-2]', server: DGX-H100}}, "
      "fabric: {name: infiniband-ndr}, contract: {'interconnect.rdma_write_bandwidth.bandwidth': "
      "'>= 60 GB/s'}}",
      "c", known());
  const auto r = promised_reference(c, known(), "interconnect.rdma_write_bandwidth", "bandwidth",
                                    {{"message", 8_MiB}, {"memory", "host"}, {"direction", "one"}},
                                    {"n1", "n2"});
  ASSERT_TRUE(r);
  EXPECT_DOUBLE_EQ(*r->floor, 60e9);
  EXPECT_FALSE(r->ceiling) << "else it could be neither met nor missed";
}

TEST(Contract, OfTwoOnOnePointTheStricterGovernsAndBothAreListed) {
  const Cluster c = parse_cluster(
      "{format: accept.cluster/1, name: c, groups: {g: {nodes: 'n[1-2]', server: DGX-H100}}, "
      "fabric: {name: infiniband-ndr}, contract: {"
      "'interconnect.nccl_all_reduce.busbw': '>= 1 GB/s', "
      "'interconnect.nccl_all_reduce.busbw{nodes=all}': '>= 2 GB/s'}}",
      "c", known());
  const auto r = promised_reference(c, known(), "interconnect.nccl_all_reduce", "busbw",
                                    {{"message", 8_GiB}}, {"n1", "n2"});
  ASSERT_TRUE(r);
  EXPECT_DOUBLE_EQ(*r->floor, 2e9);
  std::set<double> floors;
  for (const Expected& e : expectations(c, known()))
    if (e.reference.authority == "contract") floors.insert(*e.reference.floor);
  EXPECT_EQ(floors, (std::set<double>{1e9, 2e9})) << "the one's key begins like the other's";
}

TEST(Storage, ItsPromiseIsAskedOfManyStreamsAndOfAllWhereItIsForAll) {
  const Cluster c = parse_cluster(
      "{format: accept.cluster/1, name: c, groups: {g: {nodes: 'n[1-4]'}}, storage: {s: {path: /s, "
      "class: lustre, client_write: 10 GB/s, write: 30 GB/s, read: 50 GB/s}}}",
      "c", known());
  const auto floor_of = [&](const char* test, const char* way, std::size_t nodes) {
    auto names = node_names(c);
    names.resize(nodes);
    const auto r = promised_reference(c, known(), test, "rate", {{"direction", way}}, names);
    return r && r->floor ? *r->floor : 0;
  };
  EXPECT_EQ(floor_of("storage.checkpoint_save", "write", 1), 0);
  EXPECT_EQ(floor_of("storage.sequential", "write", 1), 10e9);
  EXPECT_EQ(floor_of("storage.sequential", "write", 4), 30e9);
  EXPECT_EQ(floor_of("storage.sequential", "read", 2), 0) << "promised to all together";
  EXPECT_EQ(floor_of("storage.sequential", "read", 4), 50e9);
}

TEST(AllGather, MayBeFasterThanARingWhereOnlyWhatOthersHaveMustPass) {
  auto s = all_reduce("H100-SXM5-80GB", 8, 2, 8, 200);
  s.test = "interconnect.nccl_all_gather";
  EXPECT_NEAR(*derive(known(), s)->ceiling, 2 * 15.0 / 16 * 200e9, 1);
  s.gpus = 1;
  s.rails = 1;
  EXPECT_NEAR(*derive(known(), s)->ceiling, 25e9, 1) << "one GPU each: all of it passes";
}

TEST(Links, ThatMayBeMissingGiveNoFloorAndDoNotLowerTheCeiling) {
  // Two bridged cards of four copy at the bridge's rate; without bridges all of it goes over PCIe.
  auto s = all_reduce("H100-NVL-94GB", 4, 1, 0, 0);
  for (const int gpus : {2, 4, 8}) {
    s.gpus = gpus;
    for (const auto& [test, metric] : {std::pair{"interconnect.nccl_all_reduce", "busbw"},
                                       {"interconnect.peer_copy", "bandwidth"}}) {
      s.test = test;
      s.metric = metric;
      const auto r = derive(known(), s);
      ASSERT_TRUE(r) << test;
      EXPECT_FALSE(r->floor) << test << gpus;
      EXPECT_GE(*r->ceiling, 300e9) << test << gpus;
      EXPECT_PRED2(contains, r->derivation, "bridges are optional");
    }
  }
  // A board of four A100 joins each pair by a third of the links.
  s = all_reduce("A100-SXM4-80GB", 4, 1, 0, 0);
  EXPECT_FALSE(derive(known(), s)->floor);
  s.test = "interconnect.peer_copy";
  s.metric = "bandwidth";
  EXPECT_FALSE(derive(known(), s)->floor);
  s.gpus = 8;
  EXPECT_TRUE(derive(known(), s)->floor);
}

TEST(AllReduce, AnImaginedFabricMaySumToo) {
  EXPECT_TRUE(imagined_cluster("DGX-H100", 2, "ndr", known()).fabric.in_network_reduction);
}

TEST(AllReduce, AFabricThatDoesNotSumHasALowerCeiling) {
  auto s = all_reduce("H100-SXM5-80GB", 8, 8, 8, 400);
  s.fabric = "infiniband";
  const auto may = derive(known(), s);
  s.in_network_reduction = false;
  const auto may_not = derive(known(), s);
  ASSERT_TRUE(may && may_not);
  EXPECT_LT(*may_not->ceiling, *may->ceiling);
  EXPECT_GE(*may_not->ceiling, 400e9) << "a ring reaches the rails";
}

TEST(AllReduce, TwoNodesMayExceedTheirRails) {
  EXPECT_GT(*derive(known(), all_reduce("H100-SXM5-80GB", 8, 2, 8, 400))->typical, 400e9);
  EXPECT_LT(*derive(known(), all_reduce("H100-SXM5-80GB", 8, 4, 8, 400))->typical, 400e9);
}

TEST(AllReduce, NoFloorWhereNothingIsPublished) {
  EXPECT_TRUE(derive(known(), all_reduce("H100-SXM5-80GB", 8, 8, 8, 400))->floor);
  EXPECT_FALSE(derive(known(), all_reduce("H100-SXM5-80GB", 8, 32, 8, 400))->floor);
  EXPECT_FALSE(derive(known(), all_reduce("L40S", 8, 1, 0, 0))->floor);
  EXPECT_FALSE(derive(known(), all_reduce("L40S", 4, 2, 1, 100))->floor)
      << "PCIe within the nodes decides";
  acceptance::Setup small = all_reduce("H100-SXM5-80GB", 8, 1, 0, 0);
  small.message = 1_MiB;
  EXPECT_FALSE(derive(known(), small)->floor);
  EXPECT_TRUE(derive(known(), small)->typical);
}

TEST(AllReduce, OversubscriptionSlowsWhatCrossesIt) {
  acceptance::Setup s = all_reduce("H100-SXM5-80GB", 8, 4, 8, 400);
  const double before = *derive(known(), s)->typical, ceiling = *derive(known(), s)->ceiling;
  s.oversubscription = 2;
  EXPECT_DOUBLE_EQ(*derive(known(), s)->ceiling, ceiling) << "a ring crosses the leaves little";
  EXPECT_NEAR(*derive(known(), s)->typical, before / 2, 0.01 * before);
}

TEST(Rdma, LatencyGrowsWithHopsAndHasNoFloorOverRoce) {
  acceptance::Setup s;
  s.test = "interconnect.rdma_write_latency";
  s.metric = "latency";
  s.fabric = "infiniband";
  s.rate = 50e9;
  s.hops = 1;
  const auto near = derive(known(), s);
  s.hops = 3;
  const auto far = derive(known(), s);
  EXPECT_DOUBLE_EQ(*near->floor, 2.5e-6);
  EXPECT_GT(*far->typical, *near->typical);
  EXPECT_GT(*far->floor, *near->floor);
  EXPECT_LT(*near->ceiling, *near->typical) << "lower is better: the ceiling is below";
  s.fabric = "roce";
  EXPECT_FALSE(derive(known(), s)->floor);
}

Cluster contracted(const std::string& contract) {
  return parse_cluster(
      "format: accept.cluster/1\nname: c\ngroups: {g: {nodes: 'n[1-2]'}}\ncontract:\n" + contract,
      "cluster.yaml", known());
}

TEST(Contract, SpeaksOfThePointsItNames) {
  const Cluster c =
      contracted("  interconnect.mpi_all_reduce.algbw{message=8MiB,nodes=all}: '>= 1 GB/s'\n");
  const ContractFigure& f = c.contract.at(0);
  const auto speaks = [&](double message, std::vector<std::string> nodes) {
    return speaks_of(f, c, "interconnect.mpi_all_reduce", "algbw", {{"message", message}}, nodes);
  };
  EXPECT_TRUE(speaks(8_MiB, {"n1", "n2"}));
  EXPECT_FALSE(speaks(1_MiB, {"n1", "n2"}));
  EXPECT_FALSE(speaks(8_MiB, {"n1"}));
}

RunFiles run_with(const Cluster& c, double rate) {
  Test t = test_of("interconnect.mpi_all_reduce",
                   {{"algbw", Unit::bytes_per_second, Better::higher, ""}});
  Assignment a = assignment_of(t.name, {"n1", "n2"}, {{"message", 8_MiB}});
  Record r = record_of(a, Outcome::ok);
  Samples samples;
  for (int i = 0; i < 20; ++i) samples.add(rate * (1 + 0.001 * i));
  r.measurements.push_back({"algbw", Unit::bytes_per_second, samples});
  RunFiles f = run_of({t}, {node_of("n1", "b1"), node_of("n2", "b2")}, {a}, {r});
  f.promise.cluster = c;
  return f;
}

TEST(Contract, ThatIsNotMetRejectsAndOneNotMeasuredLeavesItOpen) {
  const Cluster c = contracted("  interconnect.mpi_all_reduce.algbw{nodes=all}: '>= 1 GB/s'\n");
  const auto verdict = [&](const RunFiles& f) {
    for (const Finding& finding : judge(f))
      if (finding.measured) return finding.verdict;
    return Verdict::not_run;
  };
  EXPECT_EQ(verdict(run_with(c, 2e9)), Verdict::pass);
  EXPECT_EQ(verdict(run_with(c, 0.5e9)), Verdict::fail);
  const Cluster other = contracted("  interconnect.nccl_all_reduce.busbw: '>= 1 GB/s'\n");
  bool open = false;
  for (const Finding& f : judge(run_with(other, 2e9)))
    open = open || (f.verdict == Verdict::not_run && contains(f.reason, "was not measured"));
  EXPECT_TRUE(open);
}

TEST(Promise, SaysNothingWhereAnUnpromisedNodeTakesPart) {
  const Cluster c = imagined_cluster("DGX-H100", 2, "ndr", known());
  const auto busbw = [&](const std::vector<std::string>& nodes) {
    return promised_reference(c, known(), "interconnect.nccl_all_reduce", "busbw",
                              {{"message", 8_GiB}}, nodes);
  };
  EXPECT_TRUE(busbw({"n1", "n2"}));
  EXPECT_FALSE(busbw({"n1", "n3"}));
  EXPECT_FALSE(busbw({"n3"}));
}

TEST(Promise, NodesThatTookNoPartAreNotForgotten) {
  Cluster c = contracted("  interconnect.mpi_all_reduce.algbw: '>= 1 GB/s'\n");
  c.groups[0].nodes = {"n1", "n2", "n3"};
  RunFiles f = run_with(c, 2e9);
  f.run["request"] = {{"nodes", "all"}};
  const auto absent = [&] {
    for (const Finding& finding : judge(f))
      if (finding.test == "machine.coverage") return finding.verdict;
    return Verdict::pass;
  };
  EXPECT_EQ(absent(), Verdict::not_run);
  f.run["request"] = {{"nodes", "n[1-2]"}};
  EXPECT_EQ(absent(), Verdict::remark) << "only a part was asked for";
}

TEST(Policy, ToleranceLowersDerivedFloorsOnly) {
  const std::string text =
      "format: accept.cluster/1\nname: c\ngroups: {g: {nodes: n1, server: DGX-H100}}\n";
  const Cluster strict = parse_cluster(text, "f", known()),
                mild = parse_cluster(text + "policy: {tolerance: {'compute.*': 10 %}}\n", "f",
                                     known());
  const auto floor = [&](const Cluster& c) {
    return *promised_reference(c, known(), "compute.gpu_gemm", "rate", {{"precision", "bf16"}},
                               {"n1"})
                ->floor;
  };
  EXPECT_NEAR(floor(mild), 0.9 * floor(strict), 1e9);
}

}  // namespace
}  // namespace acceptance
