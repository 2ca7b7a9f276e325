#include "suites/core/state.h"
#include "suites/storage/shard.h"

namespace acceptance {
namespace {

void body(State& state) {
  const double bytes = state.number("shard");
  const std::filesystem::path folder = state.scratch();
  if (observe_file_system(state, folder) == Caching::memory)
    throw Skip(
        "tmpfs keeps files in memory: nothing saved there is durable; choose a folder on a disk "
        "with --target");
  need_room(folder, bytes, 2, 2);  // the old and the new checkpoint
  state.phase("making the shard");
  const auto shard = make_shard(static_cast<std::size_t>(bytes), 1);

  Samples write, sync, rename, sync_directory;
  state.sample(
      [&] {
        const SaveTimes t = save_shard(folder / "shard", shard);
        write.add(t.write), sync.add(t.sync), rename.add(t.rename),
            sync_directory.add(t.sync_directory);
        return t.total();
      },
      [&](double seconds) {
        return Figures{{"rate", bytes / seconds}, {"time", seconds}};
      });

  state.phase("verifying the last checkpoint");
  // Off the medium where the system lets go of its copy.
  const double cached = drop_from_cache(folder / "shard");
  std::vector<std::uint64_t> back(shard.size());
  read_shard(folder / "shard", back);
  state.require(back == shard, "the saved checkpoint differs from what was written");
  state.observe("part of the verified checkpoint read from memory", cached, Unit::ratio);
  state.observe("time in write (median)", write.median(), Unit::seconds);
  state.observe("time in fsync (median)", sync.median(), Unit::seconds);
  state.observe("time in rename (median)", rename.median(), Unit::seconds);
  state.observe("time in fsync of the folder (median)", sync_directory.median(), Unit::seconds);
}

const Register checkpoint_save{{
    .name = "storage.checkpoint_save",
    .version = 1,
    .about =
        "Saves a shard so that a crash at any point leaves the old or the new checkpoint whole.",
    .formula = "shard / (write + fsync + rename + fsync of the folder)",
    .scopes = {Scope::node},
    .needs = Need::storage,
    .params = {{"shard", Unit::bytes, {1_GiB}, {256_MiB}}},
    .metrics = {{"rate", Unit::bytes_per_second, Better::higher,
                 "incompressible data written in 4 MiB blocks, durable when the clock stops"},
                {"time", Unit::seconds, Better::lower,
                 "one save, from open to the folder's fsync"}},
    .sampling = {.half_width = 0.05, .minimum = 6, .seconds = 6},
    .deadline_seconds = 300,
    .body = body,
}};

}  // namespace
}  // namespace acceptance
