#pragma once
#include <array>
#include <optional>

namespace acceptance {

/// Memory that can be taken without swapping (MemAvailable), bounded by the control groups' limits
/// with what they could reclaim counted as free; nothing when unknown.
std::optional<double> available_memory();

/// Cores' worth of CPU time that the control groups of this process allow (version 1 and 2, the
/// tightest of all ancestors); nothing when there is no quota.
std::optional<double> cpu_quota();

/// Keeps the calling thread on one logical CPU while it lives, and puts the old mask back.
/// A CPU that can't be had is no error: the thread then stays where it was and bound() is false.
class BoundToCpu {
 public:
  explicit BoundToCpu(int cpu);
  ~BoundToCpu();
  BoundToCpu(const BoundToCpu&) = delete;
  BoundToCpu& operator=(const BoundToCpu&) = delete;
  bool bound() const { return bound_; }

 private:
  static constexpr std::size_t most_cpus =
      8192;  // a kernel's mask has to fit, whatever it was built for
  using Mask = std::array<unsigned long, most_cpus / (8 * sizeof(unsigned long))>;
  Mask before_{};
  bool bound_ = false;
};

}  // namespace acceptance
