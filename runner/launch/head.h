#pragma once
#include <deque>
#include <list>
#include <memory>
#include <set>
#include <vector>

#include "runner/launch/launcher.h"
#include "runner/launch/running.h"

namespace acceptance {

/// The head of a run: listens for the processes it has launched, and drives launches to their end.
/// Strangers who connect are dropped, and can't hold it up.
class Head {
 public:
  struct Callbacks {
    std::function<void(const Assignment&)> started;
    std::function<void(Record)> recorded;
    std::function<void(Node)> probed;
    std::function<void(const std::string&)> note;  ///< something odd, for the log
    std::function<void()> tick;                    ///< about four times a second, for a live view
  };

  /// Takes over SIGINT and SIGTERM until it goes. `logs`: folder for what launches print.
  Head(Launcher launcher, Contact contact, std::filesystem::path logs, Callbacks callbacks);
  ~Head();
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  /// Runs launches side by side until all have ended. False when a signal stopped it.
  bool run(std::vector<Launch> launches, const std::vector<Node>& nodes);
  bool stopped() const { return stopped_; }
  /// Nodes whose launches were ended by force since this was last asked: something may be left
  /// there.
  std::set<std::string> take_unclean() { return std::exchange(unclean_, {}); }
  /// Ends whatever still runs.
  void end() { running_.clear(); }
  const Contact& contact() const { return contact_; }
  /// What is only known once the nodes have answered.
  void keep_mpi_on(const std::string& subnets, const std::string& interface) {
    contact_.subnets = subnets;
    contact_.interface = interface;
  }
  /// Zero of the records' start offsets.
  Clock::time_point began() const { return began_; }

 private:
  struct Guest {
    Connection connection;
    Clock::time_point since = Clock::now();
  };
  void start(Launch launch, const std::vector<Node>& nodes);
  /// Starts what waits, a few at a time: many at once would only delay one another.
  void start_some(std::deque<Launch>& waiting, const std::vector<Node>& nodes);
  bool nobody_is_heard();
  void hear_signals();
  void wait(Clock::duration longest);
  void let_in();
  void hear_guests();

  Launcher launcher_;
  Contact contact_;
  std::filesystem::path logs_;
  Callbacks callbacks_;
  Events events_;
  Clock::time_point began_ = Clock::now();
  Descriptor listener_;
  Descriptor signals_;
  std::list<Guest> guests_;  // connected, token not yet seen
  std::map<int, std::unique_ptr<RunningLaunch>> running_;
  std::set<std::string> unclean_;
  Clock::time_point last_heard_{};
  int launched_ = 0;
  bool stopped_ = false;
};

}  // namespace acceptance
