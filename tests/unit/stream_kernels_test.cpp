#include "suites/compute/stream_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace acceptance {
namespace {

TEST(StreamKernels, WriteEveryElementAndNothingElse) {
  constexpr std::size_t count = 101, room = 128;  // not a multiple of anything
  for (const char* name : {"copy", "scale", "add", "triad"}) {
    const StreamKernel& k = stream_kernel(name);
    struct alignas(64) Line {
      double values[room];
    };
    const auto arrays = std::make_unique<Line[]>(3);
    for (std::size_t i = 0; i < 3; ++i) std::fill_n(arrays[i].values, room, stream_initial[i]);
    k.run(arrays[0].values, arrays[1].values, arrays[2].values, count);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t e = 0; e < room; ++e) {
        const double want = i == k.result && e < count ? k.expected : stream_initial[i];
        ASSERT_EQ(arrays[i].values[e], want) << name << " array " << i << " element " << e;
      }
  }
  EXPECT_THROW(stream_kernel("dot"), std::out_of_range);
}

}  // namespace
}  // namespace acceptance
