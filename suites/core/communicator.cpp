#include "suites/core/communicator.h"

#include <barrier>
#include <exception>
#include <thread>

namespace acceptance {
namespace {

struct Shared {
  explicit Shared(int size) : meeting(size) {}
  std::barrier<> meeting;
  std::vector<std::byte> board;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Shared& shared, int rank, int size)
      : shared_(shared), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }

 private:
  void meet() override { shared_.meeting.arrive_and_wait(); }

  void spread(std::span<std::byte> bytes, int root) override {
    if (rank_ == root) shared_.board.assign(bytes.begin(), bytes.end());
    meet();
    if (rank_ != root) std::memcpy(bytes.data(), shared_.board.data(), bytes.size());
    meet();
  }

  void collect(std::span<const std::byte> mine, std::span<std::byte> all, int root) override {
    if (rank_ == root) shared_.board.resize(mine.size() * static_cast<std::size_t>(size_));
    meet();
    std::memcpy(shared_.board.data() + mine.size() * static_cast<std::size_t>(rank_), mine.data(),
                mine.size());
    meet();
    if (rank_ == root) std::memcpy(all.data(), shared_.board.data(), all.size());
    meet();
  }

  Shared& shared_;
  int rank_;
  int size_;
};

}  // namespace

void run_ranks_as_threads(int size, const std::function<void(Communicator&)>& rank_main) {
  Shared shared(size);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    for (int r = 0; r < size; ++r)
      threads.emplace_back([&, r] {
        ThreadCommunicator group(shared, r, size);
        try {
          rank_main(group);
        } catch (...) {
          errors[static_cast<std::size_t>(r)] = std::current_exception();
          shared.meeting.arrive_and_drop();
        }
      });
  }
  for (const auto& e : errors)
    if (e) std::rethrow_exception(e);
}

}  // namespace acceptance
