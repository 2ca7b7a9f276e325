#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "runner/launch/running.h"
#include "runner/plan/merge.h"
#include "suites/core/text.h"

// What becomes of a launch whose processes are lost, or late.
namespace acceptance {
namespace {

using namespace std::chrono_literals;
constexpr auto report_within = 60s;  // from launch to the last rank's first message
constexpr int most_deaths_at_start = 2;
constexpr auto after_trouble = 3s;  // for the other ranks to report too
constexpr auto after_loss = 500ms;  // for last words and the exit status to arrive
// Losses closer together than this have one cause, and it can't be told which.
constexpr auto torn_along = 500us;
constexpr auto probe_within = 120s;

/// The last line a launch printed, for a reason that has nothing better to say.
std::string last_line(const std::filesystem::path& log) {
  std::ifstream in(log);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (line.find_first_not_of(" -\t") != std::string::npos) last = line;
  return last.substr(0, 300);
}

}  // namespace

void RunningLaunch::see_to_losses(const Events& events) {
  const auto ending = process_->ending();
  if (ending && ending->by_signal && !everyone_here() && launch_.deaths < most_deaths_at_start) {
    // Killed by somebody before it could say a word: that says nothing about its work.
    restart_ = true;
    return stop();
  }
  if (ending && !everyone_here()) {
    const std::string said = last_line(log_);
    return refuse_all(fmt::format("the process {} before all ranks had reported{}{}",
                                  to_text(*ending), said.empty() ? "" : "; its last line: ", said),
                      events);
  }
  std::optional<Clock::time_point> first_loss;
  for (const Rank& r : ranks_)
    if (r.lost && (!first_loss || *r.lost < *first_loss)) first_loss = r.lost;
  if (!first_loss && ending) first_loss = ended_ = ended_.value_or(Clock::now());
  // Last words and further losses may still be on their way.
  if (!first_loss || Clock::now() < *first_loss + after_loss) return;

  if (launch_.kind == LaunchKind::probe) return refuse_all(why_lost(0), events);
  const int culprit = who_was_lost_first();
  if (culprit < 0) {
    const std::string said = last_line(log_);
    return abandon(fmt::format("all ranks went away at once{}{}{}",
                               ending ? "; the launcher " + to_text(*ending) : "",
                               said.empty() ? "" : "; its last line: ", said),
                   "", events);
  }
  const std::string reason = why_lost(culprit);
  for (auto it = flights_.begin(); it != flights_.end();) {
    const auto index = (it++)->first;
    const auto& in = flights_.at(index).ranks;
    if (std::find(in.begin(), in.end(), culprit) != in.end())
      conclude(index, Outcome::error, reason, place_of(culprit), events);
  }
  if (!progress_ && !launch_.work.empty()) {
    // Died between orders without having done anything: counted, so that it can't go on for ever.
    Record record;
    record.assignment = launch_.work.front();
    record.outcome = Outcome::interrupted;
    record.reason = reason;
    record.started = utc_now();
    events.recorded(std::move(record));
  }
  abandon(fmt::format("{}: {}", place_of(culprit), reason), progress_ ? place_of(culprit) : "",
          events);
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
  if (ending && launch_.kind != LaunchKind::world) return "the process " + to_text(*ending);
  return "the process went away without a word";
}

void RunningLaunch::see_to_deadlines(const Events& events) {
  if (ending_) return;
  const auto now = Clock::now();
  if (!everyone_here() && now > begin_ + report_within) {
    std::vector<std::string> silent;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (!ranks_[i].connection) silent.push_back(place_of(static_cast<int>(i)));
    return refuse_all(fmt::format("no word from {} within {} s of the launch",
                                  fmt::join(silent, ", "), report_within.count()),
                      events);
  }
  if (launch_.kind == LaunchKind::probe && now > begin_ + probe_within)
    return refuse_all(fmt::format("the probe did not end within {} s", probe_within.count()),
                      events);
  for (auto& [index, flight] : flights_) {
    const Assignment& a = launch_.work[index];
    const bool late = now > flight.begin + std::chrono::duration<double>(a.deadline_seconds);
    const bool stuck = flight.trouble && (late || now > *flight.trouble + after_trouble);
    if (!late && !stuck) continue;
    std::vector<std::string> doing;
    std::string culprit;
    for (std::size_t i = 0; i < flight.ranks.size(); ++i)
      if (!flight.pieces.contains(static_cast<int>(i))) {
        const int rank = flight.ranks[i];
        doing.push_back(
            fmt::format("{}: {}", place_of(rank), ranks_[static_cast<std::size_t>(rank)].doing));
        culprit = place_of(rank);
      }
    if (stuck) {
      // What was reported is the cause; those still busy only wait for a rank that has left.
      finish(index, merge(a, std::move(flight.pieces)), events);
      return abandon("stopped with " + a.id(), a.id(), events);
    }
    conclude(index, Outcome::timed_out,
             fmt::format("no end after {:g} s ({})", a.deadline_seconds, fmt::join(doing, "; ")),
             doing.size() == 1 ? culprit : "", events);
    return abandon("stopped with " + a.id(), a.id(), events);
  }
}

void RunningLaunch::abandon(const std::string& reason, const std::string& cause,
                            const Events& events) {
  while (!flights_.empty())
    conclude(flights_.begin()->first, Outcome::interrupted, reason, cause, events);
  stop();
}

void RunningLaunch::refuse_all(const std::string& reason, const Events& events) {
  stop();
  for (const Assignment& a : launch_.work) {
    Record record;
    record.assignment = a;
    record.reason = reason;
    record.started = utc_now();
    record.start_offset = std::chrono::duration<double>(Clock::now() - run_began_).count();
    events.recorded(std::move(record));
  }
}

std::optional<Launch> RunningLaunch::restart() {
  if (!restart_) return std::nullopt;
  ++launch_.deaths;
  return std::move(launch_);
}

}  // namespace acceptance
