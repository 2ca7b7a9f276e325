#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/outliers.h"
#include "suites/core/test.h"
#include "suites/core/value.h"

namespace acceptance {

/// A place among its equals at one point of a test.
struct FleetPlace {
  std::string name;   ///< node, or node and device: what is before the first space is the node
  double figure = 0;  ///< in the metric's base unit, above 0
  double error = 0;   ///< standard error of it, as a ratio
  double again = 0;   ///< of the second look alone; 0 = there was none
};

/// Places that should deliver the same, and what comes out when they are compared.
struct FleetGroup {
  std::string test, metric;
  Point point;
  Unit unit = Unit::count;
  Better better = Better::higher;
  std::string what;     ///< "nodes of group compute"
  double least = 0.05;  ///< places off by less, as a ratio, don't matter
  std::vector<FleetPlace> places;

  enum class Kind {
    alike,      ///< one crowd; whoever is outside it is in spread.outliers
    wide,       ///< they spread by more than equal places should
    in_groups,  ///< more than an eighth of the nodes are too low: there is more than one kind
    heavy,      ///< far-off places are too common here for a single one to mean anything
  };
  Kind kind = Kind::alike;
  Spread spread;  ///< 1 (where lower is better, -1) = the median of all places
};
std::string_view name(FleetGroup::Kind kind);

/// A whole healthy cluster is wrongly suspected, anywhere, with at most this probability.
inline constexpr double false_suspicion = 0.01;
/// Equal places that spread by more are not homogeneous.
inline constexpr double homogeneous_spread = 0.03;

/// How far off a place must be to matter, as a ratio: rates of computing and of moving data 5 %,
/// times and storage 10 %.
double practical_difference(const std::string& test, Unit unit);

/// Compares the places of all groups with one another. The probability of a false suspicion counts
/// all places of all groups together; the outliers that stay are sure, and off by at least
/// what matters.
void compare_fleet(std::vector<FleetGroup>& groups);

}  // namespace acceptance
