#pragma once
#include <poll.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/launch/connection.h"
#include "runner/launch/process.h"
#include "runner/plan/launch.h"

namespace acceptance {

using Clock = std::chrono::steady_clock;

/// What a running launch tells the head.
struct Events {
  std::function<void(const Assignment&)> started;
  std::function<void(Record)> recorded;
  std::function<void(Node)> probed;
};

/// One launch under way: its process, its ranks' connections, what they are doing and since when.
/// Turns everything that can happen to them into records.
class RunningLaunch {
 public:
  /// `nodes` outlives it. `run_began` is the zero of records' start_offset.
  RunningLaunch(Launch launch, std::unique_ptr<Process> process, const std::vector<Node>& nodes,
                std::filesystem::path log, Clock::time_point run_began);

  /// A process that has shown its token reports with its first message. Nothing, or why it is not
  /// welcome.
  std::optional<std::string> join(Connection& connection, const Json& hello);
  /// Takes in what has arrived, starts what can start, sees to losses and deadlines. Call after
  /// every wait.
  void advance(const Events& events);
  /// True when there is nothing left to wait for.
  bool over() const { return ending_ && (given_up_ || process_->ending().has_value()); }
  /// The launch to start again in place of this one, if it died before it could do anything.
  std::optional<Launch> restart();
  /// A process that even SIGKILL did not end was left behind.
  bool given_up() const { return given_up_; }
  /// Ends it: workers see the end of their connection and leave; after a second they are killed.
  void stop();
  /// Nobody has the patience to see it end: kills it, and does not wait.
  void leave() { process_->give_up(); }
  /// Adds the descriptors to wait on.
  void wait_on(std::vector<pollfd>& into) const;

 private:
  struct Rank {
    std::optional<Connection> connection;
    std::string doing = "starting";
    std::string last_words;
    std::optional<Clock::time_point> lost;
  };
  struct Flight {
    std::vector<int> ranks;
    Clock::time_point begin = Clock::now();
    std::string started;
    std::map<int, Record> pieces;
    std::optional<Clock::time_point> trouble;  // a rank has reported something bad
  };

  void take_messages(const Events& events);
  void take_piece(int rank, Record piece, const Events& events);
  void start_ready(const Events& events);
  void see_to_losses(const Events& events);
  void see_to_deadlines(const Events& events);
  void finish(std::size_t index, Record record, const Events& events);
  void conclude(std::size_t index, Outcome outcome, std::string reason, std::string culprit,
                const Events& events);
  /// Everything in flight was stopped by something else: it is to be run again. Ends the launch.
  /// `cause`: whose doing it was, where that is known; it has a final record then, so these
  /// interruptions needn't be counted.
  void abandon(const std::string& reason, const std::string& cause, const Events& events);
  /// Nothing was ever going to work here: every assignment gets the reason. Ends the launch.
  void refuse_all(const std::string& reason, const Events& events);
  bool everyone_here() const;
  std::string place_of(int rank) const;
  std::string why_lost(int rank) const;
  /// The rank whose end tore the others along; -1 when that can't be told.
  int who_was_lost_first() const;

  Launch launch_;
  std::unique_ptr<Process> process_;
  const std::vector<Node>& nodes_;
  std::filesystem::path log_;
  Clock::time_point run_began_;
  Clock::time_point begin_ = Clock::now();
  Dispatch dispatch_;
  std::vector<Rank> ranks_;
  std::map<std::size_t, Flight> flights_;
  std::string unwelcome_;  // why a process of ours could not join
  bool probed_ = false;
  bool progress_ = false;  // something was recorded
  bool ending_ = false;
  bool given_up_ = false;
  bool restart_ = false;
  std::optional<Clock::time_point> ended_;  // when its end was first seen
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace acceptance
