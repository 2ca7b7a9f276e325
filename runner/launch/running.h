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

/// A rank whose heartbeat (one a second) stays away this long is called silent.
inline constexpr auto silent_after = std::chrono::seconds(10);

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
  /// Takes in what has arrived, starts what can start, sees to losses, silence and deadlines. Call
  /// after every wait. `deaf`: nobody at all was heard for so long that silence says nothing about
  /// a rank.
  void advance(const Events& events, bool deaf);
  /// True when there is nothing left to wait for.
  bool over() const { return ending_ && (given_up_ || process_->ending().has_value()); }
  /// True until all ranks have reported, or that has come to nothing.
  bool starting() const { return !ending_ && !everyone_here(); }
  /// It was ended by force: something may be left on its nodes.
  bool forced() const { return forced_; }
  const std::vector<std::string>& places() const { return launch_.places; }
  /// When a rank was heard last.
  Clock::time_point heard() const;
  /// The head itself was stopped for a while: nobody is to be called silent for that.
  void forgive_silence();
  /// A process that even SIGKILL did not end was left behind.
  bool given_up() const { return given_up_; }
  /// Ends it: workers are told to leave; after a second they are killed.
  void stop();
  /// Nobody has the patience to see it end: kills it, and does not wait.
  void leave() { process_->give_up(); }
  /// Adds the descriptors to wait on.
  void wait_on(std::vector<pollfd>& into) const;

 private:
  struct Rank {  // one per place
    std::optional<Connection> connection;
    int number = -1;  // its rank in MPI's own counting
    std::string doing = "starting";
    long meetings = 0;
    bool waiting = false;
    Clock::time_point heard = Clock::now();
    std::string last_words;
    std::optional<Clock::time_point> lost;
  };
  struct Flight {
    std::vector<int> ranks;  // indices of places
    Clock::time_point begin = Clock::now();
    std::string started;
    std::map<int, Record> pieces;
    std::optional<Clock::time_point> trouble;  // a rank has reported something bad
  };
  struct Blame {
    Outcome outcome = Outcome::error;
    std::string reason;
    Trouble trouble = Trouble::none;
    std::vector<std::string> culprits;
  };

  int place_for(const std::string& host, int number) const;
  void take_messages(const Events& events);
  void take_piece(int rank, Record piece, const Events& events);
  void start_ready(const Events& events);
  void see_to_start(const Events& events);
  void see_to_losses(const Events& events);
  void see_to_silence(const Events& events, bool deaf);
  void see_to_deadlines(const Events& events);
  void finish(std::size_t index, Record record, const Events& events);
  void conclude(std::size_t index, const Blame& blame, const Events& events);
  Record record_of(Assignment assignment, const Blame& why) const;
  /// Concludes every flight a culprit takes part in, has the others run again, and ends the launch.
  void blame(const std::vector<int>& culprits, const Blame& blame, const Events& events);
  /// Everything in flight was stopped by something else: it is to be run again. Ends the launch.
  /// `causes`: whose doing it was, where that is known; it has a final record then, so these
  /// interruptions needn't be counted.
  void abandon(const std::string& reason, const std::vector<std::string>& causes,
               const Events& events);
  /// Nothing was ever going to work here: every assignment gets the reason. Ends the launch.
  void refuse_all(const Blame& why, const Events& events);
  /// It did not come to life: one record for the launch, and its work stays undone. Ends it.
  void fail_to_start(Blame why, const Events& events);
  bool everyone_here() const;
  std::string place_of(int rank) const { return place_name(launch_.places, rank); }
  std::string why_lost(int rank) const;
  /// The rank whose end tore the others along; -1 when that can't be told.
  int who_was_lost_first() const;
  /// Ranks of a flight that the others wait for.
  std::vector<int> awaited(const Flight& flight) const;

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
  bool ending_ = false;
  bool forced_ = false;
  bool given_up_ = false;
  std::optional<Clock::time_point> ended_;  // when its end was first seen
  std::optional<Clock::time_point> kill_at_;
};

}  // namespace acceptance
