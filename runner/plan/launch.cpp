#include "runner/plan/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace acceptance {

std::vector<int> ranks_of(const Assignment& assignment, const std::vector<std::string>& places) {
  std::vector<int> ranks;
  for (const std::string& place : assignment.places) {
    std::size_t r = 0;
    while (r < places.size() &&
           (places[r] != place ||
            std::find(ranks.begin(), ranks.end(), static_cast<int>(r)) != ranks.end()))
      ++r;
    if (r == places.size())
      throw std::invalid_argument(fmt::format("{}: no rank on {}", assignment.id(), place));
    ranks.push_back(static_cast<int>(r));
  }
  return ranks;
}

Assignment launch_assignment(const Launch& launch) {
  Assignment a;
  a.test = launch_test;
  a.places = launch.places;
  a.attempt = launch.attempt;
  if (!launch.work.empty()) a.run = launch.work.front().run;
  return a;
}

std::string place_name(const std::vector<std::string>& places, int rank) {
  const std::string& place = places.at(static_cast<std::size_t>(rank));
  return std::count(places.begin(), places.end(), place) > 1
             ? fmt::format("{} rank {}", place, rank)
             : place;
}

std::string node_of_place(const std::string& place) { return place.substr(0, place.find(' ')); }

Dispatch::Dispatch(const Launch& launch) : busy_(launch.places.size()), left_(launch.work.size()) {
  for (const Assignment& a : launch.work)
    entries_.push_back({ranks_of(a, launch.places), Phase::pending});
}

std::vector<Dispatch::Start> Dispatch::ready() {
  std::vector<Start> starts;
  std::vector<bool> blocked = busy_;
  std::size_t open =
      blocked.size() - static_cast<std::size_t>(std::count(blocked.begin(), blocked.end(), true));
  for (std::size_t i = first_; i < entries_.size() && open > 0; ++i) {
    Entry& e = entries_[i];
    if (e.phase != Phase::pending) continue;
    const bool free = std::none_of(e.ranks.begin(), e.ranks.end(),
                                   [&](int r) { return blocked[static_cast<std::size_t>(r)]; });
    for (int r : e.ranks) {
      const auto rank = static_cast<std::size_t>(r);
      if (!blocked[rank]) --open;
      blocked[rank] = true;
      if (free) busy_[rank] = true;
    }
    if (!free) continue;
    e.phase = Phase::running;
    starts.push_back({i, e.ranks});
  }
  return starts;
}

void Dispatch::finished(std::size_t index) {
  Entry& e = entries_.at(index);
  if (e.phase != Phase::running) return;
  e.phase = Phase::over;
  --left_;
  for (int r : e.ranks) busy_[static_cast<std::size_t>(r)] = false;
  while (first_ < entries_.size() && entries_[first_].phase == Phase::over) ++first_;
}

}  // namespace acceptance
