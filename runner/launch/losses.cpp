#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "runner/launch/running.h"
#include "runner/plan/merge.h"
#include "runner/plan/trouble.h"
#include "suites/core/text.h"

// What becomes of a launch whose processes are lost, silent, or late.
namespace acceptance {
namespace {

using namespace std::chrono_literals;
constexpr auto report_within = 60s;  // from launch to the last rank's first message
constexpr auto after_trouble = 3s;   // for the other ranks to report too
constexpr auto after_loss = 500ms;   // for last words and the exit status to arrive
// Losses closer together than this have one cause, and it can't be told which.
constexpr auto torn_along = 500us;
constexpr auto probe_within = 120s;
constexpr auto quiet_after = 2500ms;  // two heartbeats have not come

/// What a launch printed that says most about its end: the last line that speaks of a trouble
/// known, else the last of all.
std::string last_line(const std::filesystem::path& log) {
  std::ifstream in(log);
  std::string last, telling;
  for (std::string line; std::getline(in, line);) {
    // Not rules, and not what srun says on clusters that bind nothing.
    if (line.find_first_not_of(" -=*\t") == std::string::npos ||
        line.find("lacks support for cpu binding") != std::string::npos)
      continue;
    last = line;
    if (trouble_in(line, Trouble::none) != Trouble::none) telling = line;
  }
  return (telling.empty() ? last : telling).substr(0, 300);
}

std::string with_last_line(const std::string& what, const std::filesystem::path& log) {
  const std::string said = last_line(log);
  return said.empty() ? what : what + "; its last line: " + said;
}

/// A process that has said hello was reached, found and started; what its libraries warned of then
/// says nothing about that.
Trouble trouble_at_work(const std::string& words) {
  const Trouble t = trouble_in(words, Trouble::died);
  return t == Trouble::out_of_memory || t == Trouble::disk_full ? t : Trouble::died;
}

constexpr int no_such_command = 127;  // a shell's exit status

}  // namespace

void RunningLaunch::see_to_start(const Events& events) {
  if (everyone_here()) return;
  const auto ending = process_->ending();
  const bool late = Clock::now() > begin_ + report_within;
  if (!ending && !late) return;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (!ranks_[i].connection) missing.push_back(place_of(static_cast<int>(i)));
  Blame why;
  if (ending) {
    why.reason = with_last_line(
        fmt::format("the process {} before all ranks had reported", to_text(*ending)), log_);
    why.trouble = !ending->by_signal && ending->number == no_such_command
                      ? Trouble::no_command
                      : trouble_in(why.reason, Trouble::dead_at_start);
  } else {
    why.outcome = Outcome::timed_out;
    why.reason = with_last_line(fmt::format("no word from {} within {} s of the launch",
                                            fmt::join(missing, ", "), report_within.count()),
                                log_);
    why.trouble = trouble_in(why.reason, Trouble::late);
  }
  // A world's launcher is as suspect as its nodes, unless it lives and waits for a single one.
  // Where nobody is blamed the nodes are asked one by one, which names them.
  if (launch_.kind != LaunchKind::world || (missing.size() == 1 && !ending)) why.culprits = missing;
  if (ending && ending->by_signal) why.culprits.clear();  // killed by somebody: says nothing
  if (launch_.kind == LaunchKind::probe)
    refuse_all(why, events);
  else
    fail_to_start(std::move(why), events);
}

void RunningLaunch::see_to_losses(const Events& events) {
  const auto ending = process_->ending();
  std::optional<Clock::time_point> first_loss;
  for (const Rank& r : ranks_)
    if (r.lost && (!first_loss || *r.lost < *first_loss)) first_loss = r.lost;
  if (!first_loss && ending) first_loss = ended_ = ended_.value_or(Clock::now());
  // Last words and further losses may still be on their way.
  if (!first_loss || Clock::now() < *first_loss + after_loss) return;

  if (launch_.kind == LaunchKind::probe) {
    Blame why{Outcome::error, why_lost(0), trouble_at_work(why_lost(0)), launch_.places};
    if (ending && ending->by_signal) why.culprits.clear();  // killed by somebody: says nothing
    return refuse_all(why, events);
  }
  const int culprit = who_was_lost_first();
  const bool spoke = culprit >= 0 && !ranks_[static_cast<std::size_t>(culprit)].last_words.empty();
  if (!everyone_here() && !spoke)
    // One that never came may have torn these along, or one of these the others.
    return fail_to_start({Outcome::error,
                          with_last_line("ranks went away before all had reported", log_),
                          Trouble::dead_at_start,
                          {}},
                         events);
  if (culprit < 0) {
    const std::string reason =
        with_last_line(fmt::format("all ranks went away at once{}",
                                   ending ? "; the launcher " + to_text(*ending) : ""),
                       log_);
    if (flights_.empty())
      return fail_to_start({Outcome::error, reason, Trouble::dead_at_start, {}}, events);
    return abandon(reason, {}, events);
  }
  const std::string reason = why_lost(culprit);
  blame({culprit}, {Outcome::error, reason, trouble_at_work(reason), {place_of(culprit)}}, events);
}

int RunningLaunch::who_was_lost_first() const {
  if (ranks_.size() == 1) return 0;
  // One with last words is the cause; else the one that went well before the others. Those were
  // only torn along.
  int speaker = -1, speakers = 0, first = -1;
  std::vector<Clock::time_point> losses;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (!ranks_[i].last_words.empty()) {
      speaker = static_cast<int>(i);
      ++speakers;
    }
    if (!ranks_[i].lost) continue;
    if (losses.empty() || *ranks_[i].lost < *std::min_element(losses.begin(), losses.end()))
      first = static_cast<int>(i);
    losses.push_back(*ranks_[i].lost);
  }
  if (speakers > 0) return speakers == 1 ? speaker : -1;
  std::sort(losses.begin(), losses.end());
  return losses.size() == 1 || (losses.size() > 1 && losses[1] - losses[0] >= torn_along) ? first
                                                                                          : -1;
}

std::string RunningLaunch::why_lost(int rank) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const auto ending = process_->ending();
  if (!r.last_words.empty()) return r.last_words;
  if (ending && launch_.kind != LaunchKind::world)
    return with_last_line("the process " + to_text(*ending), log_);
  return "the process went away without a word";
}

void RunningLaunch::see_to_silence(const Events& events, bool deaf) {
  std::vector<int> silent;
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (ranks_[i].connection && Clock::now() > ranks_[i].heard + silent_after)
      silent.push_back(static_cast<int>(i));
  const auto busy = [&](int rank) {
    return std::any_of(flights_.begin(), flights_.end(), [&](const auto& f) {
      const Flight& flight = f.second;
      return Clock::now() > flight.begin + silent_after &&
             std::find(flight.ranks.begin(), flight.ranks.end(), rank) != flight.ranks.end();
    });
  };
  if (launch_.kind != LaunchKind::probe && std::none_of(silent.begin(), silent.end(), busy)) return;
  if (silent.empty()) return;
  // Others may be about to be silent from the same moment on: what one blames, all must be in.
  const auto quiet = [&](const Rank& r) {
    const auto age = Clock::now() - r.heard;
    return r.connection && age > quiet_after && age <= silent_after;
  };
  const auto longest = ranks_[static_cast<std::size_t>(silent.front())].heard;
  if (Clock::now() < longest + 2 * silent_after && std::any_of(ranks_.begin(), ranks_.end(), quiet))
    return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silent_after).count();
  if (deaf) {
    const std::string reason =
        fmt::format("nobody was heard for {} s: the head's own network is suspected", seconds);
    if (launch_.kind == LaunchKind::probe)
      return refuse_all({Outcome::timed_out, reason, Trouble::none, {}}, events);
    return abandon(reason, {}, events);
  }
  Blame why{Outcome::timed_out, "", Trouble::silent, {}};
  std::vector<std::string> doing;
  for (const int r : silent) {
    why.culprits.push_back(place_of(r));
    doing.push_back(
        fmt::format("{} (last seen {})", place_of(r), ranks_[static_cast<std::size_t>(r)].doing));
  }
  why.reason = fmt::format(
      "not a word for {} s from {}: the process is stopped, or its node hangs or is cut off",
      seconds, fmt::join(doing, ", "));
  if (launch_.kind == LaunchKind::probe) return refuse_all(why, events);
  blame(silent, why, events);
}

std::vector<int> RunningLaunch::awaited(const Flight& flight) const {
  std::vector<int> busy, open;
  long furthest = -1;  // meeting in which somebody waits
  for (std::size_t i = 0; i < flight.ranks.size(); ++i) {
    if (flight.pieces.contains(static_cast<int>(i))) continue;
    const Rank& r = ranks_[static_cast<std::size_t>(flight.ranks[i])];
    open.push_back(flight.ranks[i]);
    if (r.waiting) furthest = std::max(furthest, r.meetings);
  }
  for (const int rank : open) {
    const Rank& r = ranks_[static_cast<std::size_t>(rank)];
    if (r.meetings < furthest) busy.push_back(rank);
  }
  if (!busy.empty()) return busy;
  return open.size() == 1 ? open : std::vector<int>{};
}

void RunningLaunch::see_to_deadlines(const Events& events) {
  const auto now = Clock::now();
  if (launch_.kind == LaunchKind::probe && now > begin_ + probe_within)
    return refuse_all(
        {Outcome::timed_out, fmt::format("the probe did not end within {} s", probe_within.count()),
         Trouble::hung, launch_.places},
        events);
  for (auto& [index, flight] : flights_) {
    const Assignment& a = launch_.work[index];
    const bool late = now > flight.begin + std::chrono::duration<double>(a.deadline_seconds);
    const bool stuck = flight.trouble && (late || now > *flight.trouble + after_trouble);
    if (!late && !stuck) continue;
    if (stuck) {
      // What was reported is the cause; those still busy only wait for a rank that has left.
      finish(index, merge(a, std::move(flight.pieces)), events);
      return abandon("stopped with " + a.id(), {a.id()}, events);
    }
    std::vector<std::string> doing;
    for (std::size_t i = 0; i < flight.ranks.size(); ++i) {
      const Rank& r = ranks_[static_cast<std::size_t>(flight.ranks[i])];
      if (!flight.pieces.contains(static_cast<int>(i)))
        doing.push_back(fmt::format("{}: {}{}", place_of(flight.ranks[i]), r.doing,
                                    r.waiting ? ", waiting for others" : ""));
    }
    Blame why{Outcome::timed_out,
              fmt::format("no end after {:g} s ({})", a.deadline_seconds, fmt::join(doing, "; ")),
              Trouble::hung,
              {}};
    for (const int r : awaited(flight)) why.culprits.push_back(place_of(r));
    conclude(index, why, events);
    return abandon("stopped with " + a.id(), {a.id()}, events);
  }
}

void RunningLaunch::blame(const std::vector<int>& culprits, const Blame& why,
                          const Events& events) {
  bool recorded = false;
  for (auto it = flights_.begin(); it != flights_.end();) {
    const auto index = (it++)->first;
    const auto& in = flights_.at(index).ranks;
    Blame of_this = why;
    of_this.culprits.clear();
    for (const int c : culprits)
      if (std::find(in.begin(), in.end(), c) != in.end()) of_this.culprits.push_back(place_of(c));
    if (of_this.culprits.empty()) continue;
    conclude(index, of_this, events);
    recorded = true;
  }
  if (!recorded) {
    // It had nothing to do at that moment. It must stand somewhere all the same: what nobody counts
    // could go on for ever.
    Assignment idle = launch_assignment(launch_);
    idle.test = process_test;
    events.recorded(record_of(std::move(idle), why));
  }
  abandon(fmt::format("{}: {}", fmt::join(why.culprits, ", "), why.reason), why.culprits, events);
}

void RunningLaunch::abandon(const std::string& reason, const std::vector<std::string>& causes,
                            const Events& events) {
  while (!flights_.empty())
    conclude(flights_.begin()->first, {Outcome::interrupted, reason, Trouble::none, causes},
             events);
  stop();
}

Record RunningLaunch::record_of(Assignment assignment, const Blame& why) const {
  Record record;
  record.assignment = std::move(assignment);
  record.outcome = why.outcome;
  record.reason = why.reason;
  record.trouble = why.trouble;
  record.culprits = why.culprits;
  record.started = utc_now();
  record.start_offset = std::chrono::duration<double>(Clock::now() - run_began_).count();
  return record;
}

void RunningLaunch::refuse_all(const Blame& why, const Events& events) {
  stop();
  for (const Assignment& a : launch_.work) events.recorded(record_of(a, why));
}

void RunningLaunch::fail_to_start(Blame why, const Events& events) {
  launch_.work = {launch_assignment(launch_)};
  refuse_all(why, events);
}

}  // namespace acceptance
