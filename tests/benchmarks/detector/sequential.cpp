// Sampling until it is decided, beside a fixed number of samples.
#include "suites/core/sequential.h"

#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <vector>

#include "tests/benchmarks/detector/detector.h"

namespace {

using namespace acceptance;
using Random = std::mt19937_64;
constexpr std::size_t budget = 40, batch = 8;

/// On which side of the floor a figure was found, and with how many samples.
struct Found {
  Decision side = Decision::open;
  std::size_t samples = 0;
};

std::vector<double> drawn(double level, double noise, Random& random) {
  std::normal_distribution<double> normal;
  std::vector<double> v(budget);
  for (double& x : v) x = level * (1 + noise * normal(random));
  return v;
}

Found fixed(const std::vector<double>& v, double floor) {
  const auto i = median_interval(v);
  return {i->low > floor    ? Decision::above
          : i->high < floor ? Decision::below
                            : Decision::open,
          v.size()};
}

/// Looking at a fixed interval after each batch, as it must not be done.
Found peeking(const std::vector<double>& v, double floor) {
  for (std::size_t n = batch; n <= v.size(); n += batch)
    if (const Found f = fixed({v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n)}, floor);
        f.side != Decision::open || n == v.size())
      return f;
  return {};
}

Found sequential(const std::vector<double>& v, double floor) {
  for (std::size_t n = batch; n <= v.size(); n += batch) {
    const Decision d = decide(std::span(v).subspan(0, n), floor);
    if (d != Decision::open || n == v.size()) return {d, n};
  }
  return {};
}

void row(double above, double noise, int figures) {
  fmt::print("| {:+.1f} % | {:g} % |", above * 100, noise * 100);
  double all = 0;
  for (const auto rule : {fixed, peeking, sequential}) {
    int failed = 0, open = 0;
    double samples = 0;
    for (int i = 0; i < figures; ++i) {
      Random random(static_cast<std::uint64_t>(i) * 4099 + 17);
      const Found f = rule(drawn(1 + above, noise, random), 1);
      failed += f.side == Decision::below;
      open += f.side == Decision::open;
      samples += static_cast<double>(f.samples);
    }
    if (all == 0) all = samples;
    fmt::print(" {:.2f} %, {:.1f} %, {:.0f} % |", 100.0 * failed / figures, 100.0 * open / figures,
               100 * samples / all);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

void write_sequential(int clusters) {
  fmt::print(
      "## Sampling until it is decided\n\nA figure against its floor: failed, undecided, and the "
      "measuring time as a share of "
      "that of {} samples. The sequential rule looks after every {} samples at an interval that "
      "holds at every look; "
      "looking again and again at a fixed interval is what it must not be.\n\n| above the floor | "
      "noise of a sample | fixed | looking at a fixed "
      "interval | sequential |\n|---|---|---|---|---|\n",
      budget, batch);
  for (const double noise : {0.01, 0.03})
    for (const double above : {0.1, 0.03, 0.01, 0.0, -0.01, -0.03, -0.1})
      row(above, noise, 20 * clusters);
  fmt::print("\n");
}
