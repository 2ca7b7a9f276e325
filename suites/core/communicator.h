#pragma once
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace acceptance {

/// The ranks of one measurement. For coordination only: nothing that goes through it is ever timed.
/// It counts the meetings, so that whoever watches can tell who is waiting for whom.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  void barrier() {
    const Meeting meeting(*this);
    meet();
  }
  /// The root's bytes reach everybody; all ranks pass the same size.
  void broadcast(std::span<std::byte> bytes, int root) {
    const Meeting meeting(*this);
    spread(bytes, root);
  }
  /// The root receives size() × mine.size() bytes in rank order; `all` may be empty elsewhere.
  void gather(std::span<const std::byte> mine, std::span<std::byte> all, int root) {
    const Meeting meeting(*this);
    collect(mine, all, root);
  }
  /// Meetings this rank has come to so far; may be read from any thread.
  long meetings() const { return meetings_.load(std::memory_order_relaxed); }
  /// True while this rank is in a meeting, waiting for the others.
  bool waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  virtual void meet() = 0;
  virtual void spread(std::span<std::byte> bytes, int root) = 0;
  virtual void collect(std::span<const std::byte> mine, std::span<std::byte> all, int root) = 0;

  class Meeting {
   public:
    explicit Meeting(Communicator& of) : of_(of) {
      of_.meetings_.fetch_add(1, std::memory_order_relaxed);
      of_.waiting_.store(true, std::memory_order_relaxed);
    }
    ~Meeting() { of_.waiting_.store(false, std::memory_order_relaxed); }
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

   private:
    Communicator& of_;
  };
  std::atomic<long> meetings_{0};
  std::atomic<bool> waiting_{false};
};

/// Rank 0 decides, everybody learns.
template <class T>
T broadcast(Communicator& group, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  group.broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
  return value;
}

/// Rank 0 gets everybody's value in rank order; the others get an empty vector.
template <class T>
std::vector<T> gather(Communicator& group, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(group.rank() == 0 ? static_cast<std::size_t>(group.size()) : 0);
  group.gather(std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(all)), 0);
  return all;
}

/// A group of one.
class SoloCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }

 private:
  void meet() override {}
  void spread(std::span<std::byte>, int) override {}
  void collect(std::span<const std::byte> mine, std::span<std::byte> all, int) override {
    std::memcpy(all.data(), mine.data(), mine.size());
  }
};

/// Runs `rank_main` once per rank, each in a thread of this process, with a communicator among
/// them. For tests. Rethrows the first rank's exception once all have ended.
void run_ranks_as_threads(int size, const std::function<void(Communicator&)>& rank_main);

}  // namespace acceptance
