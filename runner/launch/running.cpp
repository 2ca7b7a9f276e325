#include "runner/launch/running.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "runner/plan/merge.h"
#include "runner/plan/trouble.h"
#include "runner/version.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

using namespace std::chrono_literals;
constexpr auto die_within = 10s;     // after SIGKILL; what is still there then can't be killed
constexpr auto leave_within = 1s;    // before a launch that was told to end is killed
constexpr auto finish_within = 10s;  // for processes to leave after their work is done

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// What a rank can say.
struct Message {
  std::string last_words;
  bool asks_clock = false;
  std::optional<Json> beat;
  std::optional<Record> piece;
  std::optional<Node> node;
};
Message understand(const Json& m) {
  Message out;
  out.asks_clock = m.contains("clock");
  if (m.contains("beat")) out.beat = m.at("beat");
  if (m.contains("last_words")) out.last_words = m.at("last_words").get<std::string>();
  if (m.contains("piece")) out.piece = m.at("piece").get<Record>();
  if (m.contains("node")) out.node = m.at("node").get<Node>();
  return out;
}

double clock_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

RunningLaunch::RunningLaunch(Launch launch, std::unique_ptr<Process> process,
                             const std::vector<Node>& nodes, std::filesystem::path log,
                             Clock::time_point run_began)
    : launch_(std::move(launch)),
      process_(std::move(process)),
      nodes_(nodes),
      log_(std::move(log)),
      run_began_(run_began),
      dispatch_(launch_),
      ranks_(launch_.places.size()) {}

int RunningLaunch::place_for(const std::string& host, int number) const {
  if (launch_.kind != LaunchKind::world) return ranks_[0].connection ? -1 : 0;
  const auto suits = [&](std::size_t at) {
    if (ranks_[at].connection) return false;
    const auto node = std::find_if(nodes_.begin(), nodes_.end(),
                                   [&](const Node& n) { return n.name == launch_.places[at]; });
    return node != nodes_.end() && node->hostname == host;
  };
  // Several places may be one machine: then the launcher's own order holds.
  if (suits(static_cast<std::size_t>(number))) return number;
  for (std::size_t at = 0; at < ranks_.size(); ++at)
    if (suits(at)) return static_cast<int>(at);
  return -1;
}

std::optional<std::string> RunningLaunch::join(Connection& connection, const Json& hello) {
  const int number = hello.at("rank").get<int>();
  const int size = hello.at("size").get<int>();
  const auto host = hello.at("host").get<std::string>();
  const auto build = hello.at("build").get<std::string>();
  int at = -1;
  if (build != build_id())
    unwelcome_ = fmt::format("another build answers: {} there, {} here", build, build_id());
  else if (size != static_cast<int>(ranks_.size()))
    unwelcome_ = fmt::format(
        "{} ranks were started, but a process finds itself in a world of {}: the launcher and "
        "the MPI library don't belong together",
        ranks_.size(), size);
  else if (number < 0 || number >= size || (at = place_for(host, number)) < 0)
    unwelcome_ = fmt::format("rank {} on {} reports twice or was never wanted there", number, host);
  if (!unwelcome_.empty()) return unwelcome_;
  Rank& r = ranks_[static_cast<std::size_t>(at)];
  r.connection = std::move(connection);
  r.number = number;
  r.heard = Clock::now();
  const std::string& place = launch_.places[static_cast<std::size_t>(at)];
  const auto node =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.name == place; });
  Json welcome{{"place", place}, {"probe", launch_.kind == LaunchKind::probe}};
  if (node != nodes_.end()) welcome["node"] = *node;
  r.connection->send({{"welcome", welcome}});
  if (!r.connection->open()) r.lost = Clock::now();
  return std::nullopt;
}

Clock::time_point RunningLaunch::heard() const {
  Clock::time_point last{};
  for (const Rank& r : ranks_)
    if (r.connection) last = std::max(last, r.heard);
  return last;
}

void RunningLaunch::forgive_silence() {
  for (Rank& r : ranks_) r.heard = Clock::now();
}

bool RunningLaunch::everyone_here() const {
  return std::all_of(ranks_.begin(), ranks_.end(),
                     [](const Rank& r) { return r.connection.has_value(); });
}

void RunningLaunch::wait_on(std::vector<pollfd>& into) const {
  for (const Rank& r : ranks_)
    if (!ending_ && r.connection && r.connection->open())  // nobody listens to a launch that ends
      into.push_back({r.connection->fd(),
                      static_cast<short>(POLLIN | (r.connection->wants_to_write() ? POLLOUT : 0)),
                      0});
  if (!process_->ending()) into.push_back({process_->ended_fd(), POLLIN, 0});
}

void RunningLaunch::advance(const Events& events, bool deaf) {
  if (!ending_ && !unwelcome_.empty()) {
    Blame why{Outcome::error, unwelcome_, trouble_in(unwelcome_, Trouble::wrong_world), {}};
    if (launch_.kind != LaunchKind::world) why.culprits = launch_.places;
    refuse_all(why, events);
  }
  if (!ending_) take_messages(events);
  if (!ending_ && everyone_here()) start_ready(events);
  if (!ending_) see_to_start(events);
  if (!ending_) see_to_losses(events);
  if (!ending_) see_to_silence(events, deaf);
  if (!ending_) see_to_deadlines(events);
  if (!kill_at_ || Clock::now() < *kill_at_) return;
  forced_ = forced_ || !process_->ending();
  // mpirun gets the chance to tidy up after its ranks before it is killed too.
  if (Clock::now() < *kill_at_ + leave_within)
    process_->signal(SIGTERM);
  else
    process_->signal(SIGKILL);
  if (Clock::now() > *kill_at_ + leave_within + die_within && !process_->ending()) {
    process_->give_up();
    given_up_ = true;
  }
}

void RunningLaunch::take_messages(const Events& events) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Rank& r = ranks_[i];
    if (!r.connection || !r.connection->open()) continue;
    r.connection->write_some();
    for (const Json& m : r.connection->receive()) {
      r.heard = Clock::now();
      Message message;
      try {
        message = understand(m);
        if (message.beat) {
          message.beat->at("doing").get_to(r.doing);
          r.meetings = message.beat->value("meetings", 0L);
          r.waiting = message.beat->value("waiting", false);
        }
      } catch (const std::exception& e) {
        r.last_words = fmt::format("sent something that can't be understood: {}", e.what());
        r.connection->close();
        break;
      }
      if (message.asks_clock) r.connection->send({{"clock", clock_now()}});
      if (!message.last_words.empty()) r.last_words = std::move(message.last_words);
      if (message.piece) take_piece(static_cast<int>(i), std::move(*message.piece), events);
      if (message.node && launch_.kind == LaunchKind::probe) {
        message.node->name = launch_.places[i];
        events.probed(std::move(*message.node));
        probed_ = true;
        if (launch_.attempt > 1) {  // asked again: the answer clears it of an earlier silence
          Record answered;
          answered.assignment = launch_.work.front();
          answered.outcome = Outcome::ok;
          answered.started = utc_now();
          events.recorded(std::move(answered));
        }
      }
    }
    if (!r.connection->open()) r.lost = Clock::now();
  }
}

void RunningLaunch::take_piece(int rank, Record piece, const Events& events) {
  const std::string id = piece.assignment.id();
  for (auto& [index, flight] : flights_) {
    const auto mine = std::find(flight.ranks.begin(), flight.ranks.end(), rank);
    if (mine == flight.ranks.end() || launch_.work[index].id() != id) continue;
    if (piece.outcome != Outcome::ok && !flight.trouble) flight.trouble = Clock::now();
    flight.pieces[static_cast<int>(mine - flight.ranks.begin())] = std::move(piece);
    ranks_[static_cast<std::size_t>(rank)].doing = "waiting";
    if (flight.pieces.size() == flight.ranks.size())
      finish(index, merge(launch_.work[index], std::move(flight.pieces)), events);
    return;
  }
}

void RunningLaunch::start_ready(const Events& events) {
  // A probe's assignment is there to have a name for its failure; there is nothing to order.
  const auto starts =
      launch_.kind == LaunchKind::probe ? std::vector<Dispatch::Start>{} : dispatch_.ready();
  for (const auto& [index, ranks] : starts) {
    Flight flight;
    flight.ranks = ranks;
    flight.started = utc_now();
    const Assignment& a = launch_.work[index];
    std::vector<int> numbers;
    for (const int r : ranks) numbers.push_back(ranks_[static_cast<std::size_t>(r)].number);
    const Json order{{"run", {{"assignment", a}, {"ranks", numbers}}}};
    for (const int r : ranks) {
      Rank& rank = ranks_[static_cast<std::size_t>(r)];
      rank.doing = "starting";
      rank.meetings = 0;
      rank.waiting = false;
      rank.connection->send(order);
    }
    flights_.emplace(index, std::move(flight));
    events.started(a);
  }
  const bool all_done = launch_.kind == LaunchKind::probe ? probed_ : dispatch_.done();
  if (!all_done || ending_) return;
  for (Rank& r : ranks_)
    if (r.connection) r.connection->send({{"stop", true}});
  ending_ = true;
  kill_at_ = Clock::now() + finish_within;
}

void RunningLaunch::finish(std::size_t index, Record record, const Events& events) {
  const auto it = flights_.find(index);
  record.started = it->second.started;
  record.start_offset = seconds_between(run_began_, it->second.begin);
  if (record.seconds == 0) record.seconds = seconds_between(it->second.begin, Clock::now());
  flights_.erase(it);
  dispatch_.finished(index);
  events.recorded(std::move(record));
}

void RunningLaunch::conclude(std::size_t index, const Blame& blame, const Events& events) {
  finish(index, record_of(launch_.work[index], blame), events);
}

void RunningLaunch::stop() {
  ending_ = forced_ = true;
  for (Rank& r : ranks_)  // told so, it does not take this for the head's end
    if (r.connection) r.connection->say_last({{"leave", true}});
  kill_at_ = Clock::now() + leave_within;
}

}  // namespace acceptance
