#pragma once
#include <string>
#include <vector>

#include "suites/core/record.h"

namespace acceptance {

enum class LaunchKind {
  probe,  ///< one process that says what its node is made of
  node,   ///< one process on one node that works through node-scope assignments
  world,  ///< one MPI world that works through pair, group and cluster assignments
  sweep,  ///< one process that ends and removes what earlier ones left on its node
};

/// Processes to start together, and what they are to do.
struct Launch {
  LaunchKind kind = LaunchKind::node;
  std::vector<std::string> places;  ///< node name per rank
  std::vector<Assignment> work;     ///< in the order wanted
  int attempt = 1;
};

/// What a record of this launch's own failure to start is filed under.
Assignment launch_assignment(const Launch& launch);

/// World ranks that take part in an assignment: for each of its places the first rank there not
/// taken yet. Throws std::invalid_argument when the launch has no such place.
std::vector<int> ranks_of(const Assignment& assignment, const std::vector<std::string>& places);

/// How a place is called where someone is to blame: the node, and the rank where it has several.
std::string place_name(const std::vector<std::string>& places, int rank);

/// The node a place belongs to: "n1 rank 1" → "n1".
std::string node_of_place(const std::string& place);

/// Which assignments of a launch can start now. An assignment waits for its own ranks only, and
/// never overtakes an earlier one that shares a rank with it. Pure bookkeeping.
class Dispatch {
 public:
  explicit Dispatch(const Launch& launch);
  struct Start {
    std::size_t index;  ///< into launch.work
    std::vector<int> ranks;
  };
  /// Marks what it returns as running.
  std::vector<Start> ready();
  void finished(std::size_t index);
  bool done() const { return left_ == 0; }

 private:
  enum class Phase { pending, running, over };
  struct Entry {
    std::vector<int> ranks;
    Phase phase = Phase::pending;
  };
  std::vector<Entry> entries_;
  std::vector<bool> busy_;  // by rank
  std::size_t first_ = 0;   // everything before is over
  std::size_t left_ = 0;
};

}  // namespace acceptance
