#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/run_files.h"

namespace acceptance {

/// What a node is made of, as far as two nodes can be alike in it: "BIOS version" → "2.1",
/// "NIC mlx5_0 firmware" → "28.39.1002". Without what is each node's own (serial numbers, names,
/// addresses) and without what was measured. Memory, drives and links are counted.
std::map<std::string, std::string> facts_of(const Node& node);

/// Of all nodes of a run, in what they may be alike: the inventory, the leaf, the place in the
/// leaf, and what was observed while measuring (a clock).
class Likeness {
 public:
  explicit Likeness(const RunFiles& files);

  /// What sets `low` apart from the other `equals`, in one sentence, or nothing. Of several low
  /// ones: what they share, where chance would hardly give it (Fisher's exact test, over all that
  /// was compared), with the odds. Of one: in what it stands alone.
  std::string set_apart(const std::vector<std::string>& equals,
                        const std::vector<std::string>& low) const;

 private:
  std::unordered_map<std::string, std::map<std::string, std::string>> facts_;  // by node
  std::unordered_map<std::string, std::map<std::string, double>> numbers_;     // by node
};

}  // namespace acceptance
