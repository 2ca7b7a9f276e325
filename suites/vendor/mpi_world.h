#pragma once
#include <memory>
#include <string>
#include <vector>

#include "suites/core/communicator.h"
#include "suites/vendor/mpi/table.h"

namespace acceptance {

/// MPI's own functions, for the tests that time MPI itself.
struct MpiGroup {
  const AcceptMpi* mpi;
  AcceptMpiGroup* group;
  /// Throws std::runtime_error with MPI's words when `code` is an error.
  void check(int code, const char* what) const;
};

/// The MPI group behind a communicator. Throws Skip when it is none (threads, solo).
MpiGroup mpi_group(Communicator& group);

/// What the MPI library behind a module calls itself; starts nothing. Throws Skip with the loader's
/// words when it can't be loaded.
std::string mpi_library(const std::string& module);

/// One MPI world, from start to stop, through the module beside the binary.
class MpiWorld {
 public:
  /// `module`: path of the module built for the MPI in use. Throws Skip with the loader's words
  /// when it can't be loaded, std::runtime_error when MPI doesn't start.
  explicit MpiWorld(const std::string& module);
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// As mpi_library().
  std::string library() const;
  /// A communicator of these world ranks, this rank among them; every one of them calls it.
  std::unique_ptr<Communicator> group(const std::vector<int>& world_ranks);

 private:
  const AcceptMpi* mpi_;
  int rank_ = 0, size_ = 0;
};

}  // namespace acceptance
