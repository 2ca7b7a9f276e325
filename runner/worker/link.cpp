#include "runner/worker/link.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace acceptance {
namespace {
namespace fs = std::filesystem;

constexpr int beat_milliseconds = 1000;
constexpr int lost_head_status = 3;

struct LastWords {
  int signal;
  std::string message;
};
// A signal handler can reach nothing but globals; filled once before the handlers are installed.
std::array<LastWords, 5> last_words;
int last_words_fd = -1;

void crashed(int signal) {
  for (const LastWords& w : last_words)
    if (w.signal == signal) [[maybe_unused]]
      const auto n = ::write(last_words_fd, w.message.data(), w.message.size());
  ::raise(signal);  // the handler is gone (SA_RESETHAND): the default takes its course
}

}  // namespace

void send_last_words_over(int fd) {
  constexpr std::array<std::pair<int, const char*>, 5> crashes{
      {{SIGSEGV, "Segmentation fault"},
       {SIGBUS, "Bus error"},
       {SIGFPE, "Floating point exception"},
       {SIGILL, "Illegal instruction"},
       {SIGABRT, "Aborted"}}};
  last_words_fd = fd;
  for (std::size_t i = 0; i < crashes.size(); ++i) {
    const auto& [signal, name] = crashes[i];
    last_words[i] = {signal,
                     frame({{"last_words", "the process crashed: signal " + std::to_string(signal) +
                                               " (" + name + ")"}})};
  }
  static std::array<char, 65536> stack;
  const stack_t alternative{stack.data(), 0, stack.size()};
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  for (const auto& [signal, name] : crashes) ::sigaction(signal, &action, nullptr);
}

void remove_scratch(const std::string& prefix) {
  if (prefix.empty()) return;
  std::error_code error;
  for (fs::directory_iterator it(fs::path(prefix).parent_path(), error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->path().string().starts_with(prefix) &&
        it->symlink_status(ignored).type() == fs::file_type::directory)
      fs::remove_all(it->path(), ignored);
  }
}

Link::Link(Connection connection)
    : connection_(std::move(connection)),
      thread_([this](const std::stop_token& stop) { listen(stop); }) {}

Link::~Link() = default;

void Link::send(const Json& message) {
  const std::lock_guard lock(mutex_);
  connection_.send(message);
  connection_.flush();
}

Json Link::wait_for_order() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return !orders_.empty(); });
  Json order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

void Link::watch(std::function<Json()> beat) {
  const std::lock_guard lock(mutex_);
  beat_ = std::move(beat);
}

void Link::clean_up_on_loss(std::string prefix) {
  const std::lock_guard lock(mutex_);
  scratch_ = std::move(prefix);
}

void Link::remove_on_loss(std::string folder) {
  const std::lock_guard lock(mutex_);
  folder_ = std::move(folder);
}

void Link::listen(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd p{connection_.fd(), POLLIN, 0};
    const int ready = ::poll(&p, 1, beat_milliseconds);
    const std::lock_guard lock(mutex_);
    if (ready == 0)
      connection_.send({{"beat", beat_ ? beat_() : Json{{"doing", "waiting for orders"}}}});
    bool told_to_stop = false, told_to_leave = false;
    for (Json& m : connection_.receive()) {
      told_to_stop = told_to_stop || m.contains("stop");
      told_to_leave = told_to_leave || m.contains("leave");
      orders_.push_back(std::move(m));
      arrived_.notify_one();
    }
    if (told_to_stop) return;  // the head may close the connection now; that is no loss
    if (connection_.open() && !told_to_leave) continue;
    remove_scratch(scratch_);
    std::error_code ignored;
    // Only the launch is over: the next one needs the program again.
    if (!folder_.empty() && !told_to_leave) fs::remove_all(folder_, ignored);
    ::_exit(lost_head_status);
  }
}

}  // namespace acceptance
