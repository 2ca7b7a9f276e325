#include "runner/launch/head.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace acceptance {
namespace {

using namespace std::chrono_literals;
constexpr auto introduce_within = 10s;   // for a connection to show its token
constexpr std::size_t most_guests = 64;  // at a time; the others wait at the door
constexpr auto make_room_after = 1s;     // for those who say nothing, when others wait
constexpr std::size_t longest_message = 64 << 20;
constexpr std::size_t most_starting = 32;  // launches that have not all reported yet
constexpr auto stopped_ourselves = 3s;     // longer between two turns of the loop: we were stopped

Descriptor take_over_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return Descriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

/// Two descriptors a launch and one a rank; the usual limit ends at a few hundred nodes. Only where
/// it is needed: processes started from here inherit it.
void allow_descriptors(const std::vector<Launch>& launches) {
  rlim_t needed = 256;
  for (const Launch& l : launches) needed += 2 + l.places.size();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Compares without stopping at the first difference.
bool same_token(const std::string& a, const std::string& b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Head::Head(Launcher launcher, Contact contact, std::filesystem::path logs, Callbacks callbacks)
    : launcher_(std::move(launcher)),
      contact_(std::move(contact)),
      logs_(std::move(logs)),
      callbacks_(std::move(callbacks)),
      events_{callbacks_.started, callbacks_.recorded, callbacks_.probed},
      listener_(listen_on(contact_.address, contact_.port)),
      signals_(take_over_signals()) {
  contact_.token = random_token();
  // A resumed run goes on numbering, so that no launch appends to an old one's log.
  while (std::filesystem::exists(logs_ / fmt::format("launch-{}.log", launched_ + 1))) ++launched_;
}

Head::~Head() {
  running_.clear();
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void Head::start(Launch launch, const std::vector<Node>& nodes) {
  contact_.launch = ++launched_;
  contact_.cores = nodes.empty() ? 1 : static_cast<int>(nodes.front().cpu.usable.size());
  const auto log = logs_ / fmt::format("launch-{}.log", launched_);
  try {
    auto process = std::make_unique<Process>(launcher_(launch, contact_), log);
    running_[launched_] =
        std::make_unique<RunningLaunch>(std::move(launch), std::move(process), nodes, log, began_);
  } catch (const std::system_error& e) {
    for (const Assignment& a : launch.work) {
      Record record;
      record.assignment = a;
      record.outcome = e.code().value() == ENOENT ? Outcome::skipped : Outcome::error;
      record.reason = e.what();
      if (record.outcome == Outcome::skipped) record.trouble = Trouble::no_command;
      events_.recorded(std::move(record));
    }
  }
}

void Head::start_some(std::deque<Launch>& waiting, const std::vector<Node>& nodes) {
  auto starting = static_cast<std::size_t>(std::count_if(
      running_.begin(), running_.end(), [](const auto& r) { return r.second->starting(); }));
  for (; !waiting.empty() && starting < most_starting && !stopped_; ++starting) {
    start(std::move(waiting.front()), nodes);
    waiting.pop_front();
  }
}

bool Head::nobody_is_heard() {
  std::size_t connected = 0;
  for (const auto& [number, launch] : running_) {
    if (launch->heard() == Clock::time_point{}) continue;
    last_heard_ = std::max(last_heard_, launch->heard());  // outlives the launch
    connected += launch->places().size();
  }
  // One alone may well be silent by itself.
  return connected > 1 && Clock::now() > last_heard_ + silent_after;
}

bool Head::run(std::vector<Launch> launches, const std::vector<Node>& nodes) {
  allow_descriptors(launches);
  std::deque<Launch> waiting(std::make_move_iterator(launches.begin()),
                             std::make_move_iterator(launches.end()));
  for (start_some(waiting, nodes); !running_.empty() || (!waiting.empty() && !stopped_);
       start_some(waiting, nodes)) {
    const auto before = Clock::now();
    wait(250ms);
    if (Clock::now() > before + stopped_ourselves)
      for (auto& [number, launch] : running_) launch->forgive_silence();
    let_in();
    hear_guests();
    const bool deaf = nobody_is_heard();
    for (auto it = running_.begin(); it != running_.end();) {
      it->second->advance(events_, deaf);
      if (it->second->given_up())
        callbacks_.note("a process can't be killed; its node needs a reboot");
      if (!it->second->over()) {
        ++it;
        continue;
      }
      if (it->second->forced())
        unclean_.insert(it->second->places().begin(), it->second->places().end());
      it = running_.erase(it);
    }
    hear_signals();
    callbacks_.tick();
  }
  guests_.clear();
  return !stopped_;
}

void Head::hear_signals() {
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return;
  if (stopped_) {  // asked twice: no more waiting
    for (auto& [number, launch] : running_) launch->leave();
    running_.clear();
  }
  stopped_ = true;
  for (auto& [number, launch] : running_) launch->stop();
}

void Head::wait(Clock::duration longest) {
  std::vector<pollfd> all{{listener_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
  for (const Guest& g : guests_) all.push_back({g.connection.fd(), POLLIN, 0});
  for (const auto& [number, launch] : running_) launch->wait_on(all);
  ::poll(all.data(), all.size(),
         static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(longest).count()));
}

void Head::let_in() {
  const auto drop = [this](const char* why) {
    guests_.pop_front();
    callbacks_.note(fmt::format("dropped a connection: {}", why));
  };
  for (;;) {
    // Many of our own may come in one moment, and show their token as soon as they are listened to.
    if (guests_.size() >= most_guests) {
      if (Clock::now() < guests_.front().since + make_room_after) return;
      drop("too many that show no token");
    }
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.get() >= 0) {
      guests_.push_back({Connection(std::move(socket))});
      continue;
    }
    const bool crowded = errno == EMFILE || errno == ENFILE;
    if (!crowded || guests_.empty()) return;
    drop("no descriptor is left for another");
  }
}

void Head::hear_guests() {
  for (auto it = guests_.begin(); it != guests_.end();) {
    auto guest = it++;
    std::string why;
    std::vector<Json> messages = guest->connection.receive();
    if (messages.empty()) {
      if (!guest->connection.broken().empty())
        why = guest->connection.broken();
      else if (!guest->connection.open())
        why = "closed without a word";
      else if (Clock::now() - guest->since > introduce_within)
        why = "no token in time";
      else
        continue;
    } else {
      try {
        const Json& hello = messages.at(0).at("hello");
        const auto launch = running_.find(hello.at("launch").get<int>());
        if (!same_token(hello.at("token").get<std::string>(), contact_.token))
          why = "wrong token";
        else if (launch == running_.end())
          why = "its launch is over";
        else {
          guest->connection.allow(longest_message);
          why = launch->second->join(guest->connection, hello).value_or("");
        }
      } catch (const std::exception& e) {
        why = fmt::format("no hello: {}", e.what());
      }
    }
    if (!why.empty()) callbacks_.note("dropped a connection: " + why);
    guests_.erase(guest);
  }
}

}  // namespace acceptance
