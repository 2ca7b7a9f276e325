#include "runner/cli/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "suites/core/text.h"

namespace acceptance {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

std::string minutes(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string what(const Assignment& a) {
  std::vector<std::string> values;
  const Test* test = find_test(a.test);
  for (const Parameter& p : test ? test->params : std::vector<Parameter>{})
    if (const auto it = a.point.find(p.name); it != a.point.end())
      values.push_back((p.unit == Unit::count ? spaced(p.name) + " " : "") +
                       to_text(it->second, p.unit));
  if (a.attempt > 1) values.push_back(fmt::format("attempt {}", a.attempt));
  const std::set<std::string> places(a.places.begin(), a.places.end());
  return fmt::format("{}{} on {}", a.test,
                     values.empty() ? "" : fmt::format(" ({})", fmt::join(values, ", ")),
                     places.size() > 3 ? fmt::format("{} nodes", places.size())
                                       : fmt::format("{}", fmt::join(places, ", ")));
}

std::string headline(const Record& r) {
  if (r.outcome != Outcome::ok) return r.reason;
  std::vector<std::string> parts;
  for (const Measurement& m : r.measurements)
    parts.push_back(fmt::format("{} {}", m.metric, format(m.samples.median(), m.unit)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Screen Screen::now() {
  Screen s;
  s.terminal = ::isatty(STDOUT_FILENO) == 1;
  const char* none = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  s.colour = s.terminal && !(none && *none) && kind && std::string_view(kind) != "dumb";
  winsize size{};
  if (s.terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    s.width = size.ws_col;
  return s;
}

void Progress::planned(const std::vector<Assignment>& left, std::size_t total) {
  total_ = total;
  done_ = total - left.size();
  for (const Assignment& a : left) seconds_planned_ += a.sampling.seconds;
}

void Progress::started(const Assignment& assignment) {
  running_[assignment.id()] = {what(assignment), Clock::now()};
  tick();
}

void Progress::recorded(const Record& record) {
  running_.erase(record.assignment.id());
  if (record.outcome == Outcome::interrupted) return;
  if (record.assignment.test.starts_with("machine.")) {  // planned by nobody
    if (record.outcome != Outcome::ok)
      noticed(fmt::format(
          "{}: {}",
          fmt::join(record.culprits.empty() ? record.assignment.places : record.culprits, ", "),
          headline(record)));
    return;
  }
  ++done_;
  seconds_done_ += record.assignment.sampling.seconds;
  if (const int rank = static_cast<int>(record.outcome);
      record.outcome != Outcome::ok && rank > worst_rank_) {
    worst_rank_ = rank;
    worst_ = printable(
        fmt::format("{} {}: {}", name(record.outcome), what(record.assignment), record.reason));
  }
  if (!quiet_ && !Screen::now().terminal) {
    fmt::print("[{:>{}}/{}] {} {}: {}\n", done_, fmt::formatted_size("{}", total_), total_,
               name(record.outcome), what(record.assignment), printable(headline(record)));
    std::fflush(stdout);
  }
  tick();
}

void Progress::noticed(const std::string& line) {
  if (quiet_) return;
  erase();
  fmt::print("{}\n", printable(line));
  std::fflush(stdout);
  tick();
}

void Progress::tick() {
  if (!quiet_ && Screen::now().terminal) draw();
}

std::string Progress::time_left() const {
  if (seconds_done_ < 5) return "";
  const double pace = seconds_since(begin_) / seconds_done_;
  return fmt::format(", about {} left", minutes(pace * (seconds_planned_ - seconds_done_)));
}

std::vector<std::string> Progress::lines() const {
  constexpr std::size_t cells = 24, most_running = 4;
  if (total_ == 0) return {"looking at what this machine is made of"};
  const std::size_t full = cells * done_ / total_;
  std::vector<std::string> all{fmt::format("[{}{}] {}/{}  {}{}", std::string(full, '#'),
                                           std::string(cells - full, '.'), done_, total_,
                                           minutes(seconds_since(begin_)), time_left())};
  std::size_t shown = 0;
  for (const auto& [id, r] : running_) {
    if (shown++ == most_running) {
      all.push_back(fmt::format("  and {} more", running_.size() - most_running));
      break;
    }
    all.push_back(fmt::format("  now    {}  {:.0f} s", r.what, seconds_since(r.since)));
  }
  all.push_back(worst_.empty() ? "  worst  nothing so far" : "  worst  " + worst_);
  return all;
}

void Progress::draw() {
  const Screen screen = Screen::now();
  std::vector<std::string> text = lines();
  erase();
  for (std::string& line : text) {
    if (static_cast<int>(line.size()) >= screen.width)
      line.resize(static_cast<std::size_t>(std::max(1, screen.width - 1)));
    drawn_.push_back(line.size());
    fmt::print("{}\n", line);
  }
  std::fflush(stdout);
}

void Progress::erase() {
  if (drawn_.empty()) return;
  // A window made narrower has wrapped the old lines: count the rows they take now.
  const auto width = static_cast<std::size_t>(std::max(1, Screen::now().width));
  std::size_t rows = 0;
  for (const std::size_t length : drawn_)
    rows += std::max<std::size_t>(1, (length + width - 1) / width);
  fmt::print("\033[{}A\r\033[J", rows);
  std::fflush(stdout);
  drawn_.clear();
}

}  // namespace acceptance
