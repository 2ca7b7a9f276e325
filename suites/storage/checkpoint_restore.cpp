#include <fmt/format.h>

#include <algorithm>

#include "suites/core/state.h"
#include "suites/storage/shard.h"

namespace acceptance {
namespace {

constexpr double cold_enough = 0.01;  // part of the file that may still be in memory

void body(State& state) {
  const double bytes = state.number("shard");
  const std::filesystem::path folder = state.scratch();
  const Caching caching = observe_file_system(state, folder);
  if (caching == Caching::memory || caching == Caching::not_visible)
    throw Skip(fmt::format("can't be read cold: {}; choose a folder on a disk with --target",
                           caching == Caching::memory
                               ? "tmpfs keeps files in memory"
                               : "this file system caches where mincore doesn't see it"));
  need_room(folder, bytes, 2, 1);
  state.phase("writing the shard");
  const auto shard = make_shard(static_cast<std::size_t>(bytes), 2);
  save_shard(folder / "shard", shard);

  std::vector<std::uint64_t> back(shard.size());
  double warmest = 0;
  bool same = true;
  state.sample(
      [&] {
        const double cached = drop_from_cache(folder / "shard");
        if (cached > cold_enough)
          throw Skip(
              fmt::format("can't be read cold: {} of the file stay in memory after being dropped; "
                          "choose a folder on a disk with --target",
                          format(cached, Unit::ratio)));
        warmest = std::max(warmest, cached);
        std::fill(back.begin(), back.end(), 0);
        const double seconds = read_shard(folder / "shard", back);
        same = same && back == shard;
        return seconds;
      },
      [&](double seconds) {
        return Figures{{"rate", bytes / seconds}, {"time", seconds}};
      });
  state.require(same, "what was read differs from what was written");
  state.observe("largest part of the file in memory before a read (mincore)", warmest, Unit::ratio);
}

const Register checkpoint_restore{{
    .name = "storage.checkpoint_restore",
    .version = 1,
    .about = "Reads a shard back after emptying this node's page cache of it (mincore shows so), "
             "and compares every byte.",
    .formula = "shard / (open + read + close)",
    .scopes = {Scope::node},
    .needs = Need::storage,
    .params = {{"shard", Unit::bytes, {1_GiB}, {256_MiB}}},
    .metrics = {{"rate", Unit::bytes_per_second, Better::higher,
                 "read in 4 MiB blocks with the page cache emptied of the file"},
                {"time", Unit::seconds, Better::lower, "one read, from open to close"}},
    .sampling = {.half_width = 0.05, .minimum = 6, .seconds = 4},
    .deadline_seconds = 300,
    .body = body,
}};

}  // namespace
}  // namespace acceptance
