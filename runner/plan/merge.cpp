#include "runner/plan/merge.h"

#include <algorithm>
#include <set>

#include "runner/plan/launch.h"

namespace acceptance {
namespace {

int badness(Outcome o) {
  switch (o) {
    case Outcome::ok: return 0;
    case Outcome::skipped: return 1;
    case Outcome::interrupted: return 2;
    case Outcome::timed_out: return 3;
    case Outcome::error: return 4;
    case Outcome::failed: return 5;
  }
  return 4;
}

/// What all ranks observed alike is said once, for the whole assignment.
void share_what_is_equal(std::vector<Observation>& all, std::size_t ranks) {
  if (ranks < 2) return;
  std::vector<Observation> kept;
  for (Observation& o : all) {
    const auto same = [&](const Observation& x) { return x.name == o.name && x.value == o.value; };
    const bool common =
        static_cast<std::size_t>(std::count_if(all.begin(), all.end(), same)) == ranks;
    if (common && std::any_of(kept.begin(), kept.end(), same)) continue;
    Observation copy = o;
    if (common) copy.place.clear();
    kept.push_back(std::move(copy));
  }
  all = std::move(kept);
}

}  // namespace

Record merge(const Assignment& assignment, std::map<int, Record> pieces) {
  Record whole;
  whole.assignment = assignment;
  whole.outcome = Outcome::ok;
  std::set<int> worst;
  for (auto& [rank, piece] : pieces) {
    const std::string place = place_name(assignment.places, rank);
    if (badness(piece.outcome) > badness(whole.outcome)) worst.clear();
    if (badness(piece.outcome) >= badness(whole.outcome)) {
      if (worst.empty() && piece.outcome != Outcome::ok) {
        whole.outcome = piece.outcome;
        whole.reason = piece.reason;
        whole.trouble = piece.trouble;
        if (piece.outcome != Outcome::skipped) whole.culprits = {place};
      }
      if (piece.outcome != Outcome::ok) worst.insert(rank);
    }
    for (Observation& o : piece.observations) {
      if (o.place.empty() && assignment.places.size() > 1) o.place = place;
      whole.observations.push_back(std::move(o));
    }
    if (rank == 0) {
      whole.measurements = std::move(piece.measurements);
      whole.seconds = piece.seconds;
    }
  }
  share_what_is_equal(whole.observations, pieces.size());
  // What every rank saw together can't be pinned on one of them.
  if (worst.size() > 1) whole.culprits.clear();
  if (whole.outcome != Outcome::ok) whole.measurements.clear();
  return whole;
}

}  // namespace acceptance
