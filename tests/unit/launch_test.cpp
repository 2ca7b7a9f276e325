#include "runner/plan/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "runner/launch/launcher.h"
#include "runner/plan/merge.h"
#include "runner/plan/plan.h"
#include "runner/plan/rounds.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {

TEST(Ranks, TheSamePlaceTwiceIsTwoRanks) {
  EXPECT_EQ(ranks_of(assignment_of("t", {"n", "n"}), {"n", "n"}), (std::vector<int>{0, 1}));
  EXPECT_EQ(ranks_of(assignment_of("t", {"c", "a"}), {"a", "b", "c"}), (std::vector<int>{2, 0}));
  EXPECT_THROW(ranks_of(assignment_of("t", {"n", "n"}), {"n"}), std::invalid_argument);
}

Launch world(int nodes) {
  Launch l{LaunchKind::world, {}, {}};
  for (int i = 0; i < nodes; ++i) l.places.push_back("n" + std::to_string(i));
  for (const auto& round : pair_rounds(static_cast<std::size_t>(nodes)))
    for (const auto& [a, b] : round)
      l.work.push_back(assignment_of("pair", {l.places[a], l.places[b]}));
  l.work.push_back(assignment_of("all", l.places));
  return l;
}

TEST(Dispatch, DisjointPairsRunTogetherAndTheClusterWaitsForAll) {
  const Launch l = world(6);
  Dispatch d(l);
  std::size_t rounds = 0, started = 0;
  while (!d.done()) {
    const auto starts = d.ready();
    ASSERT_FALSE(starts.empty());
    std::vector<bool> busy(6);
    for (const auto& s : starts)
      for (int r : s.ranks) {
        EXPECT_FALSE(busy[static_cast<std::size_t>(r)]);
        busy[static_cast<std::size_t>(r)] = true;
      }
    if (l.work[starts[0].index].test == "all") {
      EXPECT_EQ(starts.size(), 1u);
    }
    started += starts.size();
    ++rounds;
    for (const auto& s : starts) d.finished(s.index);
  }
  EXPECT_EQ(started, l.work.size());
  EXPECT_EQ(rounds, 6u) << "five rounds of three pairs, then all";
}

TEST(Dispatch, NobodyOvertakesAnEarlierAssignmentOfItsOwn) {
  Launch l{LaunchKind::world, {"a", "b", "c"}, {}};
  l.work = {assignment_of("1", {"a", "b"}), assignment_of("2", {"a", "b", "c"}),
            assignment_of("3", {"c", "a"})};
  Dispatch d(l);
  EXPECT_EQ(d.ready().size(), 1u);
  EXPECT_TRUE(d.ready().empty()) << "c is wanted by 2, which waits for a and b";
  d.finished(0);
  const auto second = d.ready();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].index, 1u);
}

TEST(Merge, TheWorstOutcomeIsEverybodysAndNamesWhoSawIt) {
  const Assignment a = assignment_of("t", {"n1", "n2"});
  std::map<int, Record> pieces{{0, record_of(a, Outcome::ok)},
                               {1, record_of(a, Outcome::failed, "wrong sum")}};
  pieces[0].measurements = {{"m", Unit::count, Samples(std::vector<double>{1})}};
  const Record r = merge(a, pieces);
  EXPECT_EQ(r.outcome, Outcome::failed);
  EXPECT_EQ(r.reason, "wrong sum");
  EXPECT_EQ(r.culprits, std::vector<std::string>{"n2"});
  EXPECT_TRUE(r.measurements.empty()) << "a figure beside a wrong result must not count";
  pieces[0] = record_of(a, Outcome::failed, "wrong sum");
  EXPECT_TRUE(merge(a, pieces).culprits.empty()) << "what all saw can't be pinned on one";
}

TEST(Merge, WhatAllRanksObservedAlikeIsSaidOnce) {
  const Assignment a = assignment_of("t", {"n1", "n2"});
  std::map<int, Record> pieces{{0, record_of(a, Outcome::ok)}, {1, record_of(a, Outcome::ok)}};
  for (auto& [rank, p] : pieces)
    p.observations = {{"steal", "", 0.0, Unit::ratio},
                      {"own", "", static_cast<double>(rank), Unit::count}};
  const Record r = merge(a, pieces);
  ASSERT_EQ(r.observations.size(), 3u);
  EXPECT_EQ(r.observations[0].place, "");
  EXPECT_EQ(r.observations[1].place, "n1");
}

Contact a_contact() {
  Contact c;
  c.address = "127.0.0.1";
  c.port = 4711;
  c.token = "secret-token";
  c.launch = 3;
  c.program = "/opt/accept/bin/accept";
  c.mpi_module = "/opt/accept/bin/accept_openmpi.so";
  c.cores = 4;
  c.run = "0a1b";
  return c;
}

TEST(LocalCommand, ANodeIsTheWorkerItself) {
  const Command c = local_command({LaunchKind::node, {"n"}, {}}, a_contact());
  EXPECT_EQ(c.words,
            (std::vector<std::string>{"/opt/accept/bin/accept", "worker", "--run", "0a1b"}));
  EXPECT_EQ(c.environment.at("ACCEPT_PORT"), "4711");
  EXPECT_FALSE(c.environment.contains("ACCEPT_WORLD"));
}

TEST(LocalCommand, AWorldIsMpirunBoundWhileThereAreCores) {
  const Command few = local_command({LaunchKind::world, {"n", "n"}, {}}, a_contact());
  EXPECT_EQ(few.words, (std::vector<std::string>{"mpirun", "-n", "2", "--host", "localhost:2",
                                                 "--bind-to", "core", "/opt/accept/bin/accept",
                                                 "worker", "--run", "0a1b"}));
  const Command many =
      local_command({LaunchKind::world, std::vector<std::string>(5, "n"), {}}, a_contact());
  EXPECT_NE(std::find(many.words.begin(), many.words.end(), "--oversubscribe"), many.words.end());
}

TEST(SshCommand, ANodeIsOneQuotedRemoteCommandAndTheContactGoesByInput) {
  Contact contact = a_contact();
  contact.program = "/opt/it's here/accept";
  const Command c = ssh_command({LaunchKind::node, {"n7"}, {}}, contact, {"/etc/ssh_config"});
  EXPECT_EQ(
      c.words,
      (std::vector<std::string>{
          "ssh", "-F", "/etc/ssh_config", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5",
          "-o", "ServerAliveCountMax=4", "-o", "ConnectTimeout=10", "--", "n7",
          "'/opt/it'\\''s here/accept' 'worker' '--run' '0a1b' --contact-from-input"}));
  EXPECT_NE(c.input.find("ACCEPT_TOKEN=secret-token\n"), std::string::npos);
}

TEST(SshCommand, AWorldKeepsToTheControlNetworkAndPassesVariablesByName) {
  Contact contact = a_contact();
  contact.subnets = "10.0.0.0/24";
  const Command c = ssh_command({LaunchKind::world, {"n1", "n2"}, {}}, contact, {});
  const std::string line = fmt::format("{}", fmt::join(c.words, " "));
  for (const char* part : {"--host n1:1,n2:1", "btl_tcp_if_include 10.0.0.0/24",
                           "oob_tcp_if_include 10.0.0.0/24", "--mca pml ob1", "-x ACCEPT_TOKEN",
                           "-x ACCEPT_MPI_MODULE", "plm_rsh_args -o BatchMode=yes"})
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  EXPECT_EQ(line.find("secret-token"), std::string::npos);
  EXPECT_EQ(c.environment.at("ACCEPT_TOKEN"), "secret-token");
}

TEST(SshCommand, AWorldOfMpichTooKeepsToTheControlNetworkAndHidesItsSecrets) {
  Contact contact = a_contact();
  contact.mpi = Mpi::mpich;
  contact.interface = "eno1";
  const Command c = ssh_command({LaunchKind::world, {"n1", "n2"}, {}}, contact, {"/etc/cfg"});
  const std::string line = fmt::format("{}", fmt::join(c.words, " "));
  EXPECT_TRUE(line.starts_with(
      "mpiexec.hydra -n 2 -wdir / -ppn 1 -hosts n1,n2 -localhost 127.0.0.1 -launcher ssh"))
      << line;
  EXPECT_NE(line.find("ACCEPT_TOKEN"), std::string::npos);
  EXPECT_EQ(line.find("secret-token"), std::string::npos);
  EXPECT_EQ(c.environment.at("UCX_NET_DEVICES"), "eno1");
  EXPECT_TRUE(c.environment.at("HYDRA_LAUNCHER_EXTRA_ARGS").starts_with("-F /etc/cfg"));
}

TEST(SlurmCommand, StepsShareTheNodesAndNobodysEndIsAnothers) {
  Contact contact = a_contact();
  contact.subnets = "10.0.0.0/24";
  const Command c = slurm_command({LaunchKind::world, {"n1", "n2"}, {}}, contact, {"17", "pmix"});
  EXPECT_EQ(c.words, (std::vector<std::string>{
                         "srun", "--jobid=17", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1",
                         "--nodelist=n1,n2", "--overlap", "--no-kill", "--kill-on-bad-exit=0",
                         "--mem=0", "--export=ALL", "--input=none", "--chdir=/", "--cpu-bind=cores",
                         "--mpi=pmix", "/opt/accept/bin/accept", "worker", "--run", "0a1b"}));
  EXPECT_EQ(c.environment.at("ACCEPT_TOKEN"), "secret-token");
  EXPECT_EQ(c.environment.at("OMPI_MCA_btl_tcp_if_include"), "10.0.0.0/24");
  const Command node = slurm_command({LaunchKind::node, {"n1"}, {}}, contact, {"17", "pmix"});
  EXPECT_NE(std::find(node.words.begin(), node.words.end(), "--mpi=none"), node.words.end());
  EXPECT_NE(std::find(node.words.begin(), node.words.end(), "--cpu-bind=none"), node.words.end());
}

TEST(Sweep, IsTheWorkersOwnCommandOnEveryEngine) {
  Contact contact = a_contact();
  contact.target = "/scratch/my files";
  const Launch l{LaunchKind::sweep, {"n1"}, {}};
  EXPECT_EQ(local_command(l, contact).words,
            (std::vector<std::string>{"/opt/accept/bin/accept", "worker", "--run", "0a1b",
                                      "--sweep", "n1", "--target", "/scratch/my files"}));
  EXPECT_EQ(ssh_command(l, contact, {}).words.back(),
            "'/opt/accept/bin/accept' 'worker' '--run' '0a1b' '--sweep' 'n1' '--target' "
            "'/scratch/my files'");
}

TEST(QuoteForShell, AnyShellReadsExactlyTheWord) {
  for (const std::string word :
       {"", "plain", "two words", "it's", "$(id)`id`;|&<>*?~#\"\\", "new\nline", "-n"}) {
    const std::filesystem::path log = std::filesystem::temp_directory_path() / "accept-quote-test";
    std::filesystem::remove(log);
    Process p({{"sh", "-c", "printf %s " + quote_for_shell(word)}, {}, ""}, log);
    while (!p.ending()) ::poll(nullptr, 0, 2);
    std::stringstream got;
    got << std::ifstream(log).rdbuf();
    EXPECT_EQ(got.str(), word);
    std::filesystem::remove(log);
  }
  EXPECT_THROW(quote_for_shell(std::string("a\0b", 3)), std::invalid_argument);
}

TEST(LocalCommand, TheTokenIsNeverOnACommandLine) {
  for (const LaunchKind kind : {LaunchKind::probe, LaunchKind::node, LaunchKind::world})
    for (const std::string& word : local_command({kind, {"n"}, {}}, a_contact()).words)
      EXPECT_EQ(word.find("secret-token"), std::string::npos);
}

}  // namespace
}  // namespace acceptance
