#pragma once
#include <string>
#include <utility>
#include <vector>

#include "reports/finding.h"

namespace acceptance {

/// Gathers the nodes that differ in the same way.
class Differences {
 public:
  explicit Differences(std::string test) : test_(std::move(test)) {}
  void add(const std::string& node, const std::string& what, Verdict verdict,
           const std::string& reason, const std::string& remedy) {
    for (Finding& f : all_)
      if (f.metric == what && f.reason == reason) {
        f.where.push_back(node);
        if (verdict == Verdict::fail) f.culprits.push_back(node);
        return;
      }
    Finding f;
    f.test = test_;
    f.metric = what;
    f.where = {node};
    f.verdict = verdict;
    f.reason = reason;
    f.remedy = remedy;
    if (verdict == Verdict::fail) f.culprits = {node};
    all_.push_back(std::move(f));
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::string test_;
  std::vector<Finding> all_;
};

}  // namespace acceptance
