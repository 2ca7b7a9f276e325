#pragma once
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/finding.h"
#include "reports/run_files.h"

namespace acceptance {

/// Something that is slower than its equals, over all points of one metric of a test.
struct Suspicion {
  std::string test, metric;
  Unit unit = Unit::count;
  Better better = Better::higher;
  std::string who;                    ///< "n3", "the link n3 - n7"
  std::string equals;                 ///< "its 31 equals (nodes of group compute)"
  std::vector<std::string> culprits;  ///< to blame if it is true
  std::vector<std::string> where;
  std::string apart;    ///< in what it, and others like it, differ from the rest; may be empty
  std::string points;   ///< of the worst point, as text
  double off = 0;       ///< at the worst point, as a ratio
  double usual = 0;     ///< of its equals there
  double chance = 1;    ///< that a healthy cluster shows something like it
  double again = 0;     ///< off by this in the second look; 0 = there was none, or it was well
  bool looked = false;  ///< there was a second look
  int count = 0;        ///< points where it is slow
  bool agreed = true;   ///< the second look agrees, wherever there is no floor
  bool floor = true;    ///< wherever it is slow a floor says what is enough
  bool failed = false;  ///< somewhere below its floor
};

/// Verdicts of judge() by test, metric, point and places.
class Floors {
 public:
  /// Of these metrics alone: "test/metric".
  Floors(const std::vector<Finding>& findings, const std::set<std::string>& of);
  /// Takes note whether these places met a floor at a point.
  void tell(Suspicion& s, const Point& point, const std::vector<std::string>& places) const;

 private:
  std::unordered_map<std::string, Verdict> worst_;
};

/// In two plain sentences: how far off and compared with whom; how sure. Fails below a floor, and
/// without one once a second look agrees; a remark where all floors were met.
Finding finding_of(const std::string& rule, const RunFiles& files, const Suspicion& s);

/// "once in 12000 healthy clusters".
std::string odds_text(double chance);

}  // namespace acceptance
