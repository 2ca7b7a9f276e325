#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "suites/core/state.h"
#include "suites/interconnect/batch.h"
#include "suites/vendor/mpi_world.h"

namespace acceptance {
namespace {

// Rank r contributes (r + 1) × element(i), so every sum is known exactly.
int element(std::size_t i) { return static_cast<int>(i % 97) + 1; }

void fill(std::vector<int>& data, int rank) {
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = (rank + 1) * element(i);
}

std::string first_wrong(const std::vector<int>& data, int ranks) {
  const int sum = ranks * (ranks + 1) / 2;
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data[i] != sum * element(i))
      return fmt::format("element {} is {}, should be {}", i, data[i], sum * element(i));
  return "";
}

void body(State& state) {
  const MpiGroup g = mpi_group(state.group());
  const int rank = state.group().rank(), ranks = state.group().size();
  const auto count = static_cast<std::size_t>(state.number("message") / sizeof(int));
  const double bytes = static_cast<double>(count * sizeof(int));
  std::vector<int> in(count), out(count);
  const auto n = static_cast<long>(count);
  const auto reduce = [&] {
    g.check(g.mpi->all_reduce_sum(g.group, in.data(), out.data(), n), "MPI_Allreduce");
  };
  const auto verify = [&](const char* how) {
    const std::string wrong = first_wrong(out, ranks);
    state.require(wrong.empty(), wrong.empty() ? "" : fmt::format("wrong sum {}: {}", how, wrong));
  };

  state.phase("verifying in place");
  fill(out, rank);
  g.check(g.mpi->all_reduce_sum(g.group, nullptr, out.data(), n), "MPI_Allreduce in place");
  verify("in place");
  state.phase("verifying out of place");
  fill(in, rank);
  reduce();
  verify("out of place");

  const long repeats = agree_on_repeats(state.group(), 0.02, reduce);
  std::fill(out.begin(), out.end(),
            -1);  // the right sums of before must not pass for those of the timed calls
  const double bus = 2.0 * (ranks - 1) / ranks;
  state.sample([&] { return timed(state.group(), repeats, reduce); },
               [&](double seconds) {
                 const double t = seconds / static_cast<double>(repeats);
                 return Figures{{"busbw", bus * bytes / t}, {"algbw", bytes / t}, {"time", t}};
               });
  verify("after timing");
  state.observe("ranks", static_cast<double>(ranks), Unit::count);
}

const Register mpi_all_reduce{{
    .name = "interconnect.mpi_all_reduce",
    .version = 1,
    .about = "Sum over all ranks through MPI; every element of the result is checked, in and out "
             "of place.",
    .formula = "algbw = message / time; busbw = algbw × 2 (n-1) / n; time of the slowest rank",
    .scopes = {Scope::cluster},
    .needs = Need::mpi,
    .params = {{"message",
                Unit::bytes,
                {8.0, 1_KiB, 32_KiB, 1_MiB, 8_MiB, 64_MiB},
                {8.0, 64_KiB, 64_MiB}}},
    .metrics =
        {{"busbw", Unit::bytes_per_second, Better::higher,
          "algbw scaled so that it can be compared with the wire, whatever the number of ranks"},
         {"algbw", Unit::bytes_per_second, Better::higher, "bytes of one rank's message per time"},
         {"time", Unit::seconds, Better::lower, "one all-reduce on the slowest rank"}},
    .sampling = {.half_width = 0.02, .minimum = 8, .seconds = 2},
    .body = body,
}};

}  // namespace
}  // namespace acceptance
