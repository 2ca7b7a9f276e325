#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runner/launch/connection.h"

namespace acceptance {

/// The worker's side of the connection, with a thread of its own: the body computes while this one
/// listens, and says once a second what the body is doing. When the head is gone, everything this
/// run made outside its folder is removed and the process ends at once.
class Link {
 public:
  explicit Link(Connection connection);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void send(const Json& message);
  /// The next order; sleeps until there is one.
  Json wait_for_order();
  /// What each heartbeat says while a body runs; empty = waiting for orders. Called from the
  /// listening thread.
  void watch(std::function<Json()> beat);
  /// A folder prefix to clean up after when the head is lost: own_scratch_prefix();
  /// empty = none.
  void clean_up_on_loss(std::string prefix);
  /// A folder that goes too, with everything in it: where the program was brought for this run.
  void remove_on_loss(std::string folder);
  int fd() const { return connection_.fd(); }

 private:
  void listen(const std::stop_token& stop);

  std::mutex mutex_;  // guards everything below
  std::condition_variable arrived_;
  Connection connection_;
  std::deque<Json> orders_;
  std::function<Json()> beat_;
  std::string scratch_, folder_;
  std::jthread thread_;
};

/// Removes the folders whose path starts with `prefix`; nothing else, and no link is followed.
void remove_scratch(const std::string& prefix);

/// From now on a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) sends its name over `fd` before
/// it takes its course.
void send_last_words_over(int fd);

}  // namespace acceptance
