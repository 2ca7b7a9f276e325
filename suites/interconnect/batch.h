#pragma once
#include <chrono>
#include <cmath>
#include <functional>

#include "suites/core/communicator.h"

namespace acceptance {

/// Seconds `repeats` calls take on this rank, after all ranks have met.
inline double timed(Communicator& group, long repeats, const std::function<void()>& call) {
  group.barrier();
  const auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < repeats; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// How many calls last about `seconds`; rank 0 measures, all agree. At least 1.
inline long agree_on_repeats(Communicator& group, double seconds,
                             const std::function<void()>& call) {
  timed(group, 2, call);  // connections are made here
  long repeats = 1;
  for (;;) {
    const double took = timed(group, repeats, call);
    const bool lead = group.rank() == 0;
    const bool done = broadcast(group, lead && took >= seconds / 4);
    const double factor = took > 0 ? seconds / took : 1000;
    if (done)
      return broadcast(group, std::max(1L, std::lround(static_cast<double>(repeats) * factor)));
    repeats *= 4;
  }
}

}  // namespace acceptance
