#include "runner/launch/slurm.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace acceptance {
namespace {

TEST(ReadSinfo, NodesWithStatesAndReasons) {
  const auto nodes = read_sinfo(
      "h1|idle|all*|(null)|none\nh2|drained|all*|gpu:h100:8(S:0-1)|fan | broken\n"
      "h3|idle*|debug|(null)|Not responding\n");
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_TRUE(nodes[0].default_partition);
  EXPECT_EQ(nodes[0].partition, "all");
  EXPECT_EQ(nodes[0].closed(), "");
  EXPECT_EQ(nodes[1].closed(), "drained (fan | broken)");
  EXPECT_EQ(nodes[2].closed(), "idle, but doesn't answer Slurm (Not responding)");
  EXPECT_FALSE(nodes[2].default_partition);
  EXPECT_TRUE(read_sinfo("").empty());
  EXPECT_THROW(read_sinfo("slurm_load_partitions: Unable to contact\n"), std::invalid_argument);
}

TEST(SlurmNode, WhatIsClosedIsNeverUsedAndWhatIsBusyIsSlurmsToGive) {
  for (const char* state : {"drained", "draining", "down", "down*", "fail", "failing", "maint",
                            "reserved", "unknown", "idle*", "mixed$", "allocated*", "drained*"})
    EXPECT_NE((SlurmNode{"n", state, "p", "", "none"}.closed()), "") << state;
  for (const char* state : {"idle", "mixed", "allocated", "completing", "idle~", "planned"})
    EXPECT_EQ((SlurmNode{"n", state, "p", "", "none"}.closed()), "") << state;
}

TEST(SallocWords, AskForWholeNodesAndTheGpusAllHave) {
  const auto words = salloc_words({{"h1", "idle", "all", "gpu:a100:8(S:0-1)", ""},
                                   {"h2", "idle", "all", "gpu:a100:7,nic:2", ""}},
                                  {"accept", "run"});
  EXPECT_EQ(words, (std::vector<std::string>{"salloc", "--job-name=accept", "--no-kill",
                                             "--exclusive", "--nodes=2", "--nodelist=h1,h2",
                                             "--partition=all", "--gres=gpu:7", "accept", "run"}));
  const auto none = salloc_words({{"h1", "idle", "all", "(null)", ""}}, {"accept"});
  EXPECT_TRUE(
      std::none_of(none.begin(), none.end(), [](auto& w) { return w.starts_with("--gres"); }));
}

TEST(SrunMpi, TheOneThatFitsTheLibraryOrNone) {
  const std::string list =
      "MPI plugin types are...\n\tpmix\n\tnone\n\tpmi2\n"
      "specific pmix plugin versions available: pmix_v4\n";
  EXPECT_EQ(srun_mpi(Mpi::open_mpi, list), "pmix");
  EXPECT_EQ(srun_mpi(Mpi::mpich, list), "pmi2");
  EXPECT_EQ(srun_mpi(Mpi::open_mpi, "MPI plugin types are...\n\tnone\n\tpmi2\n"), "");
}

}  // namespace
}  // namespace acceptance
