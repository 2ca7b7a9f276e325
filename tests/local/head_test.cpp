// The head against workers that behave as we like: real connections, no bodies.
#include "runner/launch/head.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "runner/version.h"
#include "tests/unit/fixtures.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;
using namespace std::chrono_literals;

enum class Way {
  works,     ///< beats, and answers every order
  silent,    ///< says hello, and never again a word
  vanishes,  ///< says hello, and closes a moment later
  absent,    ///< never connects
};

/// Workers in a thread of this process, and a head whose launches start nothing but a sleeping
/// process each.
class Fakes {
 public:
  explicit Fakes(std::function<Way(const std::string& node)> way) : way_(std::move(way)) {
    std::string pattern = (fs::temp_directory_path() / "accept-head-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    Contact contact;
    contact.address = "127.0.0.1";
    head_ = std::make_unique<Head>(
        [this](const Launch& l, const Contact& c) {
          const std::lock_guard lock(mutex_);
          wanted_.emplace_back(l, c);
          return Command{{"sleep", "60"}, {}};
        },
        contact, folder_,
        Head::Callbacks{[](const Assignment&) {}, [this](Record r) { records.push_back(r); },
                        [this](Node n) { probed.push_back(n.name); }, [](const std::string&) {},
                        [] {}});
    thread_ = std::jthread([this](const std::stop_token& stop) { play(stop); });
  }
  ~Fakes() {
    thread_.request_stop();
    thread_.join();
    head_.reset();
    fs::remove_all(folder_);
  }
  Fakes(const Fakes&) = delete;
  Fakes& operator=(const Fakes&) = delete;

  Head& head() { return *head_; }
  std::set<std::string> blamed() const {
    std::set<std::string> all;
    for (const Record& r : records) all.insert(r.culprits.begin(), r.culprits.end());
    return all;
  }
  std::vector<Record> records;
  std::vector<std::string> probed;

 private:
  struct Rank {
    Connection connection;
    std::string node;
    Way way;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  };
  void connect(const Launch& l, const Contact& c) {
    for (std::size_t i = 0; i < l.places.size(); ++i) {
      const Way way = way_(l.places[i]);
      if (way == Way::absent) continue;
      Connection connection = Connection::to(c.address, c.port);
      connection.send({{"hello",
                        {{"token", c.token},
                         {"launch", c.launch},
                         {"rank", i},
                         {"size", l.places.size()},
                         {"host", l.places[i]},
                         {"build", build_id()}}}});
      ranks_.push_back({std::move(connection), l.places[i], way});
    }
  }
  void answer(Rank& r) {
    for (const Json& m : r.connection.receive()) {
      if (m.contains("welcome") && m.at("welcome").at("probe").get<bool>())
        r.connection.send({{"node", node_of(r.node, "boot " + r.node)}});
      if (m.contains("run"))
        r.connection.send(
            {{"piece", record_of(m.at("run").at("assignment").get<Assignment>(), Outcome::ok)}});
    }
    r.connection.send({{"beat", {{"doing", "working"}}}});
  }
  void play(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<std::pair<Launch, Contact>> now;
      {
        const std::lock_guard lock(mutex_);
        now.swap(wanted_);
      }
      for (const auto& [l, c] : now) connect(l, c);
      for (Rank& r : ranks_) {
        if (!r.connection.open()) continue;
        if (r.way == Way::works) answer(r);
        if (r.way == Way::vanishes && std::chrono::steady_clock::now() > r.since + 300ms)
          r.connection.close();
      }
      std::this_thread::sleep_for(50ms);
    }
  }

  std::function<Way(const std::string&)> way_;
  fs::path folder_;
  std::mutex mutex_;  // guards wanted_
  std::vector<std::pair<Launch, Contact>> wanted_;
  std::vector<Rank> ranks_;
  std::unique_ptr<Head> head_;
  std::jthread thread_;
};

std::vector<Node> nodes_named(int count) {
  std::vector<Node> nodes;
  for (int i = 1; i <= count; ++i) {
    nodes.push_back(node_of(fmt::format("n{}", i), fmt::format("boot{}", i)));
    nodes.back().hostname = nodes.back().name;
  }
  return nodes;
}

Launch world_of(const std::vector<Node>& nodes) {
  Launch l{LaunchKind::world, {}, {}};
  for (const Node& n : nodes) l.places.push_back(n.name);
  l.work = {assignment_of("s.all", l.places)};
  return l;
}

std::vector<Launch> each(LaunchKind kind, const std::vector<Node>& nodes) {
  std::vector<Launch> all;
  for (const Node& n : nodes)
    all.push_back({kind,
                   {n.name},
                   {assignment_of(kind == LaunchKind::probe ? probe_test : "s.node", {n.name})}});
  return all;
}

TEST(Head, WhoeverSaidHelloAndFellSilentWhileBeingAskedLeavesARecord) {
  Fakes f([](const std::string& n) { return n == "n1" ? Way::works : Way::silent; });
  f.head().run(each(LaunchKind::probe, nodes_named(4)), {});
  EXPECT_EQ(f.probed, std::vector<std::string>{"n1"});
  std::set<std::string> told;
  for (const Record& r : f.records)
    told.insert(r.assignment.places.begin(), r.assignment.places.end());
  EXPECT_EQ(told, (std::set<std::string>{"n2", "n3", "n4"})) << "a node without a trace is a lie";
}

TEST(Head, WhoeverIsSilentWhileOthersAreHeardIsNamed) {
  const auto nodes = nodes_named(3);
  Fakes f([](const std::string& n) { return n == "n1" ? Way::works : Way::silent; });
  f.head().run({world_of(nodes)}, nodes);
  ASSERT_EQ(f.records.size(), 1u);
  EXPECT_EQ(f.blamed(), (std::set<std::string>{"n2", "n3"}));
}

TEST(Head, WhereNobodyIsHeardNobodyIsBlamed) {
  const auto nodes = nodes_named(3);
  Fakes f([](const std::string&) { return Way::silent; });
  f.head().run({world_of(nodes)}, nodes);
  ASSERT_EQ(f.records.size(), 1u);
  EXPECT_EQ(f.records[0].outcome, Outcome::interrupted);
  EXPECT_TRUE(f.blamed().empty());
}

TEST(Head, HundredsOfRanksMayComeInOneMoment) {
  const auto nodes = nodes_named(400);
  Fakes f([](const std::string&) { return Way::works; });
  f.head().run({world_of(nodes)}, nodes);
  ASSERT_EQ(f.records.size(), 1u);
  EXPECT_EQ(f.records[0].outcome, Outcome::ok) << f.records[0].reason;
}

TEST(Head, RanksLostBeforeAllHaveReportedAreNobodysFaultAndCounted) {
  const auto nodes = nodes_named(4);
  Fakes f([](const std::string& n) { return n == "n3" ? Way::absent : Way::vanishes; });
  f.head().run({world_of(nodes)}, nodes);
  ASSERT_EQ(f.records.size(), 1u) << "what nobody counts could go on for ever";
  EXPECT_EQ(f.records[0].assignment.test, launch_test);
  EXPECT_TRUE(f.blamed().empty()) << "n3 was the cause, and the others can't be told from it";
}

TEST(Head, AllRanksGoneAtOnceIsCounted) {
  const auto nodes = nodes_named(4);
  Fakes f([](const std::string&) { return Way::vanishes; });
  f.head().run({world_of(nodes)}, nodes);
  ASSERT_EQ(f.records.size(), 1u);
  EXPECT_NE(f.records[0].outcome, Outcome::ok);
}

TEST(Head, AProcessThatDoesNotLeaveAfterItsWorkHasItsNodeSwept) {
  const auto nodes = nodes_named(1);
  Fakes f([](const std::string&) { return Way::works; });
  f.head().run(each(LaunchKind::node, nodes), nodes);  // its process sleeps on, and is killed
  ASSERT_EQ(f.records.size(), 1u);
  EXPECT_EQ(f.records[0].outcome, Outcome::ok);
  EXPECT_EQ(f.head().take_unclean(), std::set<std::string>{"n1"});
}

}  // namespace
}  // namespace acceptance
