#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "suites/core/cluster.h"

namespace acceptance {

/// Something that is wrong with a simulated cluster.
struct Fault {
  enum class Kind {
    dead,     ///< never answers
    silent,   ///< answers when asked what it is made of, then never again
    corrupt,  ///< computes wrongly
    slow,     ///< all that one of `here` takes part in
    between,  ///< all that one of `here` and one of `there` take part in
    rail,     ///< all that is measured on `rail`
  };
  Kind kind = Kind::slow;
  std::set<std::string> here, there;
  int rail = 0;
  double to = 1;            ///< share of the usual speed; 0 = it never ends, and nobody knows why
  std::string tests = "*";  ///< glob
  double often = 1;         ///< part of the assignments in which it shows
  std::string firmware;     ///< of the NICs of `here`; empty = like all others
};

/// A simulated cluster, as far as it isn't like any other. Noise as relative standard deviations.
struct Simulated {
  std::vector<Fault> faults;
  std::uint64_t seed = 1;  ///< of what belongs to the cluster: how its nodes differ
  std::uint64_t run = 1;   ///< of what is new in each run
  double sample_noise = 0.01, run_noise = 0, node_spread = 0, rack_spread = 0;
  bool heavy_tails = false;              ///< of the samples: Student's t with 4 degrees of freedom
  double drift = 0;                      ///< all get slower by this, per hour
  std::map<std::string, double> speeds;  ///< "test.metric" → figure of a healthy node
};

/// In one line: "dead=n7,hung=n9,slow=n12:0.8,slow-link=n3+n4:0.5,seed=3,run=2". Throws
/// std::invalid_argument, with a suggestion, for anything else and for names not among `nodes`.
Simulated read_faults(const std::string& text, const std::vector<std::string>& nodes);

/// The same as a file (docs/simulation.md), with all there is. Leaves are those of `cluster`.
Simulated read_fault_file(const std::string& text, const std::string& file,
                          const std::vector<std::string>& nodes, const Cluster* cluster);

}  // namespace acceptance
