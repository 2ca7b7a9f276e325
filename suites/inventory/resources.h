#pragma once
#include <optional>

namespace acceptance {

/// Memory that can be taken without swapping (MemAvailable), bounded by the control group's limit;
/// nothing when unknown.
std::optional<double> available_memory();

/// Keeps the calling thread on one logical CPU while it lives, and puts the old mask back.
/// A CPU that can't be had is no error: the thread then stays where it was and `bound` is false.
class BoundToCpu {
 public:
  explicit BoundToCpu(int cpu);
  ~BoundToCpu();
  BoundToCpu(const BoundToCpu&) = delete;
  BoundToCpu& operator=(const BoundToCpu&) = delete;
  bool bound() const { return bound_; }

 private:
  struct Mask {
    unsigned long words[16];
  };
  Mask before_{};
  bool bound_ = false;
};

}  // namespace acceptance
