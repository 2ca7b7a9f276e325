#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/samples.h"
#include "suites/core/sampling.h"
#include "suites/core/value.h"

namespace acceptance {

/// What became of an assignment. Only `interrupted` is not final: it is run again.
enum class Outcome {
  ok,
  skipped,      ///< could not apply here: a library, device or permission is missing
  failed,       ///< it ran, and the machine did something wrong
  timed_out,    ///< its deadline passed
  interrupted,  ///< stopped by something that was not its own fault
  error,        ///< it could not be measured: it threw, crashed, or never started
};
std::string_view name(Outcome outcome);

/// What kind of trouble stopped an assignment, where that is known. Each has its own remedy.
enum class Trouble {
  none,
  unreachable,    ///< no way to the node, or no way back from it
  ssh_refused,    ///< sshd answers, and says no
  no_command,     ///< the program isn't there
  other_build,    ///< another build of the program answers
  wrong_world,    ///< the processes don't find each other: N singletons
  dead_at_start,  ///< it ended before it had said a word
  late,           ///< it was started, and said nothing in time
  died,           ///< it ended while it worked
  silent,         ///< its heartbeat stopped: process stopped, node hung or cut off
  hung,           ///< it lives, and did not come to an end
  out_of_memory,
  disk_full,
  unkillable,  ///< even SIGKILL did not end it
  left_alone,  ///< drained, down, reserved: not used
  set_apart,   ///< earlier trouble of its node: not tried any more
};
std::string_view name(Trouble trouble);
/// Throws std::invalid_argument for a word that is no trouble.
Trouble trouble_named(std::string_view word);
/// Throws std::invalid_argument for a word that is no outcome.
Outcome outcome_named(std::string_view word);

/// One test at one parameter point on given places.
struct Assignment {
  std::string test;
  int version = 1;
  Point point;
  std::vector<std::string>
      places;  ///< node name per rank; the same name twice = two ranks on one node
  int attempt = 1;
  Sampling sampling;
  double deadline_seconds = 120;
  std::string
      run;  ///< tag of the run; part of the name of every folder made outside the run folder
  std::string
      target;  ///< folder in which storage bodies may make a folder of their own; empty = none

  /// Deterministic: "compute.cpu_gemm@1/precision=fp64,threads=one/n1#1".
  std::string id() const;
};

/// The "test" of asking a node what it is made of. It leaves a record only where that failed.
inline constexpr const char* probe_test = "machine.probe";
/// The "test" of starting processes together. It leaves a record only where that failed.
inline constexpr const char* launch_test = "machine.launch";
/// The "test" of staying alive between assignments. It leaves a record only where that failed.
inline constexpr const char* process_test = "machine.process";
/// The "test" of leaving nothing behind on a node. It leaves a record only where that failed.
inline constexpr const char* sweep_test = "machine.sweep";

/// What was seen around or inside a body, once.
struct Observation {
  std::string name;
  std::string place;  ///< node, or node and rank; empty = the whole assignment
  Value value;
  Unit unit = Unit::text;
};

struct Measurement {
  std::string metric;
  Unit unit = Unit::count;
  Samples samples;
};

/// What an assignment left behind. One per line of records.jsonl.
struct Record {
  Assignment assignment;
  Outcome outcome = Outcome::error;
  std::string reason;  ///< the system's or vendor's exact words; empty when ok
  Trouble trouble = Trouble::none;
  std::vector<std::string> culprits;  ///< places the outcome is pinned on, where that is known
  std::vector<Measurement> measurements;
  std::vector<Observation> observations;
  std::string started;      ///< UTC, ISO 8601
  double start_offset = 0;  ///< seconds after the run began
  double seconds = 0;       ///< from the meeting of the ranks to the end of the body
};

}  // namespace acceptance
