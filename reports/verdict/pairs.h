#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/test.h"

namespace acceptance {

/// One figure between two nodes, over one rail; from → to where the matrix has directions.
struct PairCell {
  std::size_t from = 0, to = 0;  ///< into PairMatrix::nodes
  std::size_t rail = 0;
  double figure = 0;  ///< in the metric's base unit, above 0
  double again = 0;   ///< of a second look alone; 0 = there was none
};

/// All that was measured between pairs at one point of a test; cells may be missing.
struct PairMatrix {
  std::vector<std::string> nodes;
  std::vector<std::string> leaves;  ///< of each node; empty = not known
  std::size_t rails = 1;
  bool directed = false;
  Better better = Better::higher;
  double least = 0.05;  ///< faults off by less, as a ratio, don't matter
  std::vector<PairCell> cells;
};

/// The smallest part of the fabric that explains what is slow.
struct PairFault {
  enum class Level {
    direction,  ///< what a node sends, or receives, over one rail
    port,       ///< a node's port to one rail
    node,       ///< all of a node's ports
    rail,       ///< one rail of all nodes
    leaf,       ///< a leaf, or its way up
    leaf_pair,  ///< between two leaves
    link,       ///< between two nodes that are well otherwise
    mixed,      ///< more than an eighth of the nodes or links: there is more than one kind
  };
  Level level = Level::link;
  std::vector<std::string> culprits;  ///< nodes, leaves or the two ends of the link
  std::size_t rail = 0;
  bool sends = false;  ///< for a direction
  bool inside = true;  ///< for a leaf: it is slow inside too, not only on its way up
  double off = 0;      ///< as a share of what is usual
  double chance = 1;   ///< that any fault is seen in a healthy fabric
  double again = 0;    ///< off by this in the second look; 0 = there was none, or all was well
};
std::string_view name(PairFault::Level level);

/// Whether a second look confirms what was `off` by so much: by what matters, and half of that.
inline bool agrees(double off, double again, double least) {
  return again >= std::max(least, off / 2);
}

/// Probability that anything is suspected in a healthy fabric. A single link has one figure alone
/// to show itself by; a second look, which one of twenty healthy links fails, makes it certain.
inline constexpr double false_pair_suspicion = 0.05;

/// Slow ports by the median of all that runs over them, lifted to the level they have in common:
/// leaf, rail, node, port, direction; then single links among what is left. Figures within a leaf
/// and between leaves are each compared with what is usual there. Over all matrices together a
/// healthy fabric shows a fault with a probability of
/// false_pair_suspicion. Where half of all is slow,
/// or leaves are two, nobody can be named. One list for each matrix.
std::vector<std::vector<PairFault>> blame_pairs(std::span<const PairMatrix> matrices);

}  // namespace acceptance
