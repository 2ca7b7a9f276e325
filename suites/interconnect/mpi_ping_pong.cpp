#include <algorithm>
#include <cstring>
#include <vector>

#include "suites/core/state.h"
#include "suites/interconnect/batch.h"
#include "suites/vendor/mpi_world.h"

namespace acceptance {
namespace {

constexpr int window = 64;
constexpr long most_window_bytes = 64L << 20;

std::vector<unsigned char> pattern(long bytes, unsigned seed) {
  std::vector<unsigned char> data(static_cast<std::size_t>(bytes));
  for (unsigned char& b : data) {
    seed = seed * 1664525u + 1013904223u;
    b = static_cast<unsigned char>(seed >> 24);
  }
  return data;
}

void body(State& state) {
  const MpiGroup g = mpi_group(state.group());
  const int me = state.group().rank(), peer = 1 - me;
  const auto bytes = static_cast<long>(state.number("message"));
  const int count =
      static_cast<int>(std::clamp(most_window_bytes / std::max(bytes, 1L), 4L, long{window}));
  const std::vector<unsigned char> sent = pattern(bytes * count, 7);
  std::vector<unsigned char> got = sent;

  // What arrives is what goes back: were the sent data never touched, they would stay in the
  // receiver's cache, and nothing would move between two ranks of one machine.
  const auto round_trip = [&] {
    if (me == 0) {
      g.check(g.mpi->send(g.group, got.data(), bytes, peer), "MPI_Send");
      g.check(g.mpi->receive(g.group, got.data(), bytes, peer), "MPI_Recv");
    } else {
      g.check(g.mpi->receive(g.group, got.data(), bytes, peer), "MPI_Recv");
      g.check(g.mpi->send(g.group, got.data(), bytes, peer), "MPI_Send");
    }
  };
  const auto one_window = [&] {
    if (me == 0)
      g.check(g.mpi->send_window(g.group, sent.data(), bytes, count, peer), "MPI_Isend window");
    else
      g.check(g.mpi->receive_window(g.group, got.data(), bytes, count, peer), "MPI_Irecv window");
  };
  // Only the starting side's clock spans whole round trips and whole windows.
  const auto mine = [&](double seconds) { return me == 0 ? seconds : 0.0; };

  // A single trip with fresh data: an error that strikes every trip alike could undo itself over
  // many.
  state.phase("verifying a round trip");
  if (me == 1) std::fill_n(got.begin(), bytes, 0);
  round_trip();
  state.require(got == sent, "received other bytes than were sent");
  const long trips = agree_on_repeats(state.group(), 0.01, round_trip);
  state.sample([&] { return mine(timed(state.group(), trips, round_trip)); },
               [&](double s) {
                 return Figures{{"latency", s / static_cast<double>(trips) / 2}};
               });
  state.require(got == sent, "received other bytes than were sent while timed");

  std::fill(got.begin(), got.end(), 0);
  const long windows = agree_on_repeats(state.group(), 0.02, one_window);
  state.sample([&] { return mine(timed(state.group(), windows, one_window)); },
               [&](double s) {
                 const double moved =
                     static_cast<double>(bytes) * count * static_cast<double>(windows);
                 return Figures{{"bandwidth", moved / s}};
               });
  state.require(me == 0 || got == sent, "received other bytes than were sent in a window");
  state.observe("messages in a window", static_cast<double>(count), Unit::count);
}

const Register mpi_ping_pong{{
    .name = "interconnect.mpi_ping_pong",
    .version = 1,
    .about = "Messages between two ranks through MPI: half round trip, and bandwidth with a window "
             "of messages.",
    .formula = "latency = time of a round trip / 2; bandwidth = bytes of a window / time until it "
               "is acknowledged",
    .scopes = {Scope::pair},
    .needs = Need::mpi,
    .params = {{"message",
                Unit::bytes,
                {1.0, 8.0, 64.0, 512.0, 4_KiB, 32_KiB, 256_KiB, 1_MiB, 4_MiB},
                {1.0, 64_KiB, 4_MiB}}},
    .metrics = {{"latency", Unit::seconds, Better::lower,
                 "half of the mean round-trip time of a batch of blocking sends and receives"},
                {"bandwidth", Unit::bytes_per_second, Better::higher,
                 "one direction, up to 64 messages (64 MiB) under way, then one acknowledgement"}},
    .sampling = {.half_width = 0.02, .minimum = 8, .seconds = 1},
    .body = body,
}};

}  // namespace
}  // namespace acceptance
