#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace acceptance {

/// Values the arrays a, b, c hold before any kernel runs, and the factor of scale and triad.
inline constexpr std::array<double, 3> stream_initial{1.0, 2.0, 0.5};
inline constexpr double stream_factor = 3.0;

/// One STREAM kernel over `count` elements; the arrays are 64-byte aligned.
struct StreamKernel {
  std::string_view name;
  int arrays;          ///< how many arrays move: bytes = arrays × elements × 8
  std::size_t result;  ///< index of the array written
  double expected;     ///< what every element of it must hold afterwards
  void (*run)(double* a, double* b, double* c, std::size_t count);
};

/// "copy" c = a, "scale" b = f c, "add" c = a + b, "triad" a = b + f c. Throws std::out_of_range
/// otherwise.
const StreamKernel& stream_kernel(std::string_view name);

/// How the kernels store, for the record: "streaming (non-temporal)" or "ordinary".
extern const char* const stream_stores;

}  // namespace acceptance
