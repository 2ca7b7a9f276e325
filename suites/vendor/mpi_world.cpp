#include "suites/vendor/mpi_world.h"

#include <fmt/format.h>

#include <array>

#include "suites/core/state.h"
#include "suites/vendor/library.h"

namespace acceptance {
namespace {

const AcceptMpi* load(const std::string& file) {
  static const Library module(file, true);
  decltype(accept_mpi_table)* table = nullptr;
  module.find("accept_mpi_table", table);
  return table();
}

/// "Open MPI v4.1.4" out of a paragraph.
std::string name_of(const AcceptMpi* mpi) {
  const std::string words = mpi->version();
  return words.substr(0, words.find_first_of(",\n"));
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(const AcceptMpi* mpi, const std::vector<int>& ranks) : g_{mpi, nullptr} {
    g_.check(mpi->group_make(ranks.data(), static_cast<int>(ranks.size()), 0, &g_.group),
             "MPI_Comm_create_group");
  }
  ~MpiCommunicator() override { g_.mpi->group_free(g_.group); }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const override { return g_.mpi->group_rank(g_.group); }
  int size() const override { return g_.mpi->group_size(g_.group); }
  const MpiGroup& mpi() const { return g_; }

 private:
  void meet() override { g_.check(g_.mpi->barrier(g_.group), "MPI_Barrier"); }
  void spread(std::span<std::byte> bytes, int root) override {
    g_.check(g_.mpi->broadcast(g_.group, bytes.data(), static_cast<long>(bytes.size()), root),
             "MPI_Bcast");
  }
  void collect(std::span<const std::byte> mine, std::span<std::byte> all, int root) override {
    g_.check(
        g_.mpi->gather(g_.group, mine.data(), static_cast<long>(mine.size()), all.data(), root),
        "MPI_Gather");
  }
  MpiGroup g_;
};

}  // namespace

void MpiGroup::check(int code, const char* what) const {
  if (code == 0) return;
  std::array<char, 512> words{};
  mpi->error_text(code, words.data(), static_cast<int>(words.size()));
  throw std::runtime_error(fmt::format("{}: {}", what, words.data()));
}

MpiGroup mpi_group(Communicator& group) {
  const auto* mpi = dynamic_cast<const MpiCommunicator*>(&group);
  if (!mpi) throw Skip("needs ranks started under MPI");
  return mpi->mpi();
}

std::string mpi_library(const std::string& module) { return name_of(load(module)); }
std::string MpiWorld::library() const { return name_of(mpi_); }

MpiWorld::MpiWorld(const std::string& module) : mpi_(load(module)) {
  MpiGroup{mpi_, nullptr}.check(mpi_->start(&rank_, &size_), "MPI_Init");
}

MpiWorld::~MpiWorld() { mpi_->stop(); }

std::unique_ptr<Communicator> MpiWorld::group(const std::vector<int>& world_ranks) {
  return std::make_unique<MpiCommunicator>(mpi_, world_ranks);
}

}  // namespace acceptance
