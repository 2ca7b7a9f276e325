#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "suites/core/record.h"

namespace acceptance {

/// Watches the machine around a body, by one table of observers: counters are read at construction
/// and again by finish(), which gives what changed in between. What a machine doesn't offer isn't
/// reported.
class Observers {
 public:
  Observers();
  std::vector<Observation> finish() const;

 private:
  std::map<std::string, double> before_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Names that judging refers to.
inline constexpr const char* steal_time = "cpu time stolen by the hypervisor";
inline constexpr const char* foreign_time = "cpu time of other processes";

}  // namespace acceptance
