#pragma once
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace acceptance {

/// The ranks of one measurement. For coordination only: nothing that goes through it is ever timed.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void barrier() = 0;
  /// The root's bytes reach everybody; all ranks pass the same size.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// The root receives size() × mine.size() bytes in rank order; `all` may be empty elsewhere.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all, int root) = 0;
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
  void barrier() override {}
  void broadcast(std::span<std::byte>, int) override {}
  void gather(std::span<const std::byte> mine, std::span<std::byte> all, int) override {
    std::memcpy(all.data(), mine.data(), mine.size());
  }
};

/// Runs `rank_main` once per rank, each in a thread of this process, with a communicator among
/// them. For tests. Rethrows the first rank's exception once all have ended.
void run_ranks_as_threads(int size, const std::function<void(Communicator&)>& rank_main);

}  // namespace acceptance
