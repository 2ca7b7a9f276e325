#include "reports/reference/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "reports/reference/derive.h"
#include "reports/run_files.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

namespace fs = std::filesystem;

/// A catalogue with one text of its files replaced.
Catalogue changed(const std::string& file, const std::string& from, const std::string& to) {
  const fs::path folder = fs::path(testing::TempDir()) / "catalogue-changed";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::string text = read_file(fs::path(SOURCE_FOLDER) / "reports/reference/catalogue" / file);
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not there: " + from);
  write_file(folder / file, text.replace(at, from.size(), to));
  return load_catalogue(folder);
}
std::string complaint(const std::string& file, const std::string& from, const std::string& to) {
  try {
    changed(file, from, to);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Catalogue, KnowsTheSystemsByName) {
  const Catalogue& c = builtin_catalogue();
  for (const char* gpu : {"A100-SXM4-80GB", "A100-SXM4-40GB",
                          "A100-PCIe-80GB", "H100-SXM5-80GB",
                          "H100-PCIe-80GB", "H100-NVL-94GB",
                          "H200-SXM-141GB", "H200-NVL-141GB",
                          "B200-SXM-180GB", "B300-SXM-288GB",
                          "GB200",          "GB300",
                          "L40S",           "L4",
                          "V100-SXM2-32GB", "RTX-PRO-6000-Blackwell-Server",
                          "Ascend-910B",    "MI300X",
                          "MI325X",         "MI355X"})
    EXPECT_TRUE(c.gpus.contains(gpu)) << gpu;
  for (const char* server :
       {"DGX-A100", "DGX-H100", "DGX-H200", "DGX-B200", "DGX-GB200-NVL72", "Dell-XE9680",
        "Supermicro-SYS-A22GA-NBRT", "xFusion-G8600-V7", "Huawei-Atlas-800T-A2", "L40S-PCIe-8"})
    EXPECT_TRUE(c.servers.contains(server)) << server;
  for (const char* fabric : {"infiniband-edr", "infiniband-hdr", "infiniband-ndr", "infiniband-xdr",
                             "roce-100", "roce-800", "ethernet-25", "ethernet-100"})
    EXPECT_TRUE(c.fabrics.contains(fabric)) << fabric;
  for (const char* storage :
       {"local-nvme", "nvme-of", "nfs", "lustre", "beegfs", "gpfs", "weka", "s3"})
    EXPECT_TRUE(c.storage.contains(storage)) << storage;
}

TEST(Catalogue, PeaksAreDenseAndConsistent) {
  for (const auto& [name, g] : builtin_catalogue().gpus) {
    const auto peak = [&](const char* type) {
      const auto found = g.peak.find(type);
      return found == g.peak.end() ? 0.0 : found->second.value;
    };
    if (peak("bf16") > 0 && peak("fp16") > 0) {
      EXPECT_DOUBLE_EQ(peak("bf16"), peak("fp16")) << name;
    }
    if (peak("bf16") > 0 && peak("fp8") > 0) {
      EXPECT_NEAR(peak("fp8") / peak("bf16"), 2, 0.03) << name << ": a sparse figure?";
    }
    if (peak("tf32") > 0 && peak("bf16") > 0) {
      EXPECT_NEAR(peak("bf16") / peak("tf32"), 2, 0.03) << name;
    }
    if (g.clock && g.clock_max) {
      EXPECT_GE(g.clock_max->value, g.clock->value) << name;
    }
    for (const auto& [type, p] : g.peak) EXPECT_GT(p.low, 0) << name << " " << type;
  }
}

TEST(Catalogue, MemoryRatesAgreeWithTheirBuses) {
  int with_bus = 0;
  for (const auto& [name, g] : builtin_catalogue().gpus) {
    if (g.memory_bits == 0) continue;
    ++with_bus;
    EXPECT_NEAR(g.memory_bits / 8.0 * g.memory_clock->value * 2 / g.memory_bandwidth->value, 1,
                0.025)
        << name;
  }
  EXPECT_GT(with_bus, 0);
}

TEST(Catalogue, WhatIsUnsourcedGatesNothing) {
  const Catalogue& c = builtin_catalogue();
  for (const auto& [name, g] : c.gpus) {
    for (const auto& [type, p] : g.peak) EXPECT_TRUE(p.source != "memory" || !p.gates) << name;
    if (g.memory) {
      EXPECT_FALSE(g.memory->gates) << name << ": the label is nearer GiB than GB";
    }
    if (g.memory_bandwidth && g.memory_bandwidth->source == "memory") {
      EXPECT_FALSE(g.memory_bandwidth->gates);
    }
  }
  EXPECT_FALSE(c.gpus.at("Ascend-910B").peak.at("fp16").gates);
  EXPECT_FALSE(c.servers.at("Dell-XE9680").power) << "not published";
  for (const auto& [key, text] : c.sources) EXPECT_FALSE(text.empty()) << key;
}

TEST(Catalogue, EverySourceIsUsed) {
  std::string all;
  for (const char* file : {"gpus", "servers", "fabrics", "nics", "cpus", "storage", "published"})
    all += read_file(fs::path(SOURCE_FOLDER) / "reports/reference/catalogue" /
                     (std::string(file) + ".yaml"));
  for (const char* code : {"gpu", "network", "link", "collective", "derive"})
    all += read_file(fs::path(SOURCE_FOLDER) / "reports/reference" / (std::string(code) + ".cpp"));
  for (const auto& [key, text] : builtin_catalogue().sources)
    EXPECT_NE(all.find(key), std::string::npos) << key << " stands for nothing";
}

TEST(Catalogue, SaysWhereItIsWrong) {
  EXPECT_PRED2(contains, complaint("gpus.yaml", "source: SPECS", "source: SPEC"),
               "sources.yaml has no 'SPEC'; did you mean SPECS?");
  EXPECT_PRED2(contains, complaint("gpus.yaml", "both_ways: 300 GB/s", "both_ways: 310 GB/s"),
               "link.both_ways: is not twice one_way");
  EXPECT_PRED2(contains, complaint("gpus.yaml", "900 GB/s", "900 GB"), "has the wrong dimension");
  EXPECT_PRED2(contains, complaint("gpus.yaml", "  vendor: nvidia", "  vender: nvidia"),
               "unknown key; did you mean vendor?");
  EXPECT_PRED2(contains, complaint("servers.yaml", "models: [H100-SXM5-80GB]", "models: [H100]"),
               "gpus.yaml has no H100");
  EXPECT_PRED2(contains, complaint("published.yaml", "test: compute.gpu_gemm.rate", "test: gemm"),
               "must be suite.test.metric");
  EXPECT_THROW(load_catalogue("/nonexistent"), std::invalid_argument);
}

TEST(Published, NoFigureIsBeyondThePeak) {
  const Catalogue& c = builtin_catalogue();
  for (const Published& p : c.published) {
    const auto m = model_of(c, p.setup);
    if (!m || !p.value.gates) continue;
    if (m->lower_is_better) {
      EXPECT_GE(p.value.low, m->ceiling) << p.setup.test << " " << p.setup.gpu;
    } else
      EXPECT_LE(p.value.high, m->ceiling)
          << p.setup.test << " " << p.setup.gpu << " " << m->formula;
  }
}

/// The whole chain of reasoning held against the published world: each figure is derived without
/// itself.
TEST(Published, IsWhatIsDerived) {
  std::vector<double> errors;
  std::size_t underived = 0;
  for (const Validation& v : validate(builtin_catalogue())) {
    const acceptance::Setup& s = v.row->setup;
    const std::string what = s.test + " " + s.gpu + " " + s.algorithm + s.precision + " " +
                             format(v.row->value.value, Unit::bytes_per_second);
    if (!v.error) {
      underived += v.row->value.gates ? 1 : 0;
      continue;
    }
    if (std::abs(*v.error) > 0.20) {
      EXPECT_NE(v.row->reason, "") << what << ": " << *v.error;
    }
    if (!v.row->value.gates) continue;
    EXPECT_TRUE(v.within) << what << ": outside of floor and ceiling";
    errors.push_back(std::abs(*v.error));
  }
  ASSERT_GT(errors.size(), 150u);
  EXPECT_LT(underived, 12u) << "figures without a second one of their kind";
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 0.08);
  EXPECT_LT(errors[errors.size() * 9 / 10], 0.20);
}

TEST(Published, IsWrittenDownAsItIs) {
  const std::string doc = read_file(fs::path(SOURCE_FOLDER) / "docs/expected-figures.md");
  EXPECT_NE(doc.find(published_table(builtin_catalogue())), std::string::npos)
      << "docs/expected-figures.md is not what accept expect --published prints";
}

TEST(Published, ChangesWhatIsExpected) {
  acceptance::Setup s;
  s.test = "interconnect.nccl_all_reduce";
  s.metric = "busbw";
  s.gpu = "H100-SXM5-80GB";
  s.gpus = 8;
  s.algorithm = "nvls";
  s.message = 8 * 1073741824.0;
  const auto before = derive(builtin_catalogue(), s);
  const Catalogue other = changed("gpus.yaml", "one_way: 450 GB/s, both_ways: 900 GB/s",
                                  "one_way: 400 GB/s, both_ways: 800 GB/s");
  const auto after = derive(other, s);
  ASSERT_TRUE(before && after && before->typical && after->typical);
  EXPECT_LT(*after->ceiling, *before->ceiling);
}

}  // namespace
}  // namespace acceptance
