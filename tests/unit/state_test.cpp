#include "suites/core/state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mutex>

namespace acceptance {
namespace {
namespace fs = std::filesystem;

Test a_test() {
  Test t;
  t.name = "unit.test";
  t.metrics = {{"rate", Unit::bytes_per_second, Better::higher, ""},
               {"time", Unit::seconds, Better::lower, ""}};
  return t;
}

Assignment an_assignment(int ranks) {
  Assignment a;
  a.test = "unit.test";
  for (int i = 0; i < ranks; ++i) a.places.push_back("n" + std::to_string(i));
  a.sampling = {0.02, 8, 1};
  a.run = "tag";
  return a;
}

TEST(State, SamplesUntilTheMedianIsKnown) {
  const acceptance::Test test = a_test();
  const Assignment a = an_assignment(1);
  const Node node;
  SoloCommunicator solo;
  State state(a, test, node, solo);
  int calls = 0;
  state.sample([&] { return ++calls < 3 ? 5.0 : 0.5; },  // two slow ones: warm-up
               [](double s) {
                 return Figures{{"rate", 100 / s}, {"time", s}};
               });
  const auto m = state.take_measurements();
  ASSERT_EQ(m.size(), 2u);
  EXPECT_EQ(m[0].metric, "rate");
  EXPECT_DOUBLE_EQ(m[0].samples.median(), 200);
  EXPECT_EQ(m[0].samples.count(), 8u);
  EXPECT_DOUBLE_EQ(m[1].samples.max(), 0.5) << "warm-up must not be sampled";
}

TEST(State, InACollectiveTheSlowestRankCountsAndAllStopTogether) {
  const acceptance::Test test = a_test();
  const Assignment a = an_assignment(3);
  const Node node;
  std::mutex mutex;
  std::vector<int> repetitions(3);
  std::vector<Measurement> lead;
  std::vector<Observation> seen;
  run_ranks_as_threads(3, [&](Communicator& group) {
    State state(a, test, node, group);
    int calls = 0;
    state.sample([&] { return ++calls, group.rank() == 1 ? 0.4 : 0.1; },
                 [](double s) {
                   return Figures{{"rate", 1 / s}};
                 });
    const std::lock_guard lock(mutex);
    repetitions[static_cast<std::size_t>(group.rank())] = calls;
    auto m = state.take_measurements();
    if (group.rank() == 0) {
      lead = std::move(m);
      seen = state.take_observations();
    } else {
      EXPECT_TRUE(m.empty());
    }
  });
  EXPECT_EQ(repetitions[0], repetitions[1]);
  EXPECT_EQ(repetitions[0], repetitions[2]);
  ASSERT_EQ(lead.size(), 1u);
  EXPECT_DOUBLE_EQ(lead[0].samples.median(), 2.5);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen[0].value, Value("n1 rank 1"));
}

TEST(State, RequireFailsEverywhereAndNamesTheRank) {
  const acceptance::Test test = a_test();
  const Assignment a = an_assignment(3);
  const Node node;
  std::atomic<int> failed{0};
  run_ranks_as_threads(3, [&](Communicator& group) {
    State state(a, test, node, group);
    state.require(true, "");
    try {
      state.require(group.rank() != 2, "wrong bytes");
    } catch (const Failure& f) {
      EXPECT_STREQ(f.what(), "n2 rank 2: wrong bytes");
      ++failed;
    }
  });
  EXPECT_EQ(failed, 3);
}

TEST(State, RefusesMetricsItDoesNotDeclareAndImpossibleTimes) {
  const acceptance::Test test = a_test();
  const Assignment a = an_assignment(1);
  const Node node;
  SoloCommunicator solo;
  State state(a, test, node, solo);
  EXPECT_THROW(state.add("speed", 1), std::logic_error);
  EXPECT_THROW(state.sample([] { return 0.0; },
                            [](double s) {
                              return Figures{{"rate", 1 / s}};
                            }),
               std::runtime_error);
}

TEST(State, ScratchIsMadeUnderTheTargetAndGoes) {
  const acceptance::Test test = a_test();
  Assignment a = an_assignment(1);
  const Node node;
  SoloCommunicator solo;
  const fs::path target = fs::temp_directory_path() / "accept-state-test";
  fs::create_directories(target);
  a.target = target;
  {
    State state(a, test, node, solo);
    EXPECT_TRUE(state.scratch().string().starts_with((target / "accept-scratch-tag-").string()));
    Node neighbour;
    neighbour.name = "another";
    EXPECT_TRUE(state.scratch().string().starts_with(own_scratch_prefix(a, node)));
    EXPECT_FALSE(state.scratch().string().starts_with(own_scratch_prefix(a, neighbour)));
    std::ofstream(state.scratch() / "file") << "x";
    EXPECT_EQ(state.scratch(), state.scratch());
  }
  EXPECT_TRUE(fs::is_empty(target));
  fs::remove(target);
  State state(a, test, node, solo);
  EXPECT_THROW(state.scratch(), Skip) << "the target is missing";
}

}  // namespace
}  // namespace acceptance
