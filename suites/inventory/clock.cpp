#include "suites/inventory/clock.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace acceptance {

#if defined(__x86_64__)

std::optional<double> measure_clock() {
  // Latency of imul r32, r32: Agner Fog, "Instruction tables", 3 cycles on Intel from Nehalem and
  // AMD from K10 on.
  constexpr int bursts = 60, rounds = 4000, chain = 16;
  constexpr double cycles = 3.0 * rounds * chain;
  double best = 1e9;
  for (int b = 0; b < bursts; ++b) {
    const auto begin = std::chrono::steady_clock::now();
    std::uint32_t x = 3;
    for (int i = 0; i < rounds; ++i)
      asm volatile(
          "imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n"
          "imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n"
          "imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n"
          "imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n"
          : "+r"(x));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best > 0 ? std::optional(cycles / best) : std::nullopt;
}

#else

std::optional<double> measure_clock() { return std::nullopt; }

#endif

}  // namespace acceptance
