#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "suites/core/state.h"

namespace acceptance {

/// One rank's part of a checkpoint, in memory: seeded, incompressible, different in every 8 bytes.
std::vector<std::uint64_t> make_shard(std::size_t bytes, std::uint64_t seed);

/// Seconds spent in each step of a save.
struct SaveTimes {
  double write = 0, sync = 0, rename = 0, sync_directory = 0;
  double total() const { return write + sync + rename + sync_directory; }
};

/// Writes `file` so that after a crash either the old or the new one is whole: write `file`.new in
/// 4 MiB blocks, fsync, rename over `file`, fsync the folder. Throws Failure with the system's
/// words.
SaveTimes save_shard(const std::filesystem::path& file, const std::vector<std::uint64_t>& shard);

/// Asks the system to forget its cached copy of `file`, and returns which part of it is still in
/// memory (mincore), 0..1. Throws Failure with the system's words.
double drop_from_cache(const std::filesystem::path& file);

/// Reads all of `file` into `into` in 4 MiB blocks; seconds from open to close. Throws Failure when
/// it is shorter.
double read_shard(const std::filesystem::path& file, std::vector<std::uint64_t>& into);

/// Throws Skip, with figures, when memory (`copies` shards) or the folder's free space (`files`
/// shards and 5 %) would not suffice.
void need_room(const std::filesystem::path& folder, double shard_bytes, int copies, int files);

/// What keeps copies of a folder's files, besides the page cache that drop_from_cache empties.
enum class Caching {
  page_cache_alone,  ///< a local file system: mincore sees every cached page
  elsewhere_too,     ///< a server, or the host of a virtual disk, may have copies
  not_visible,       ///< a file system with a cache of its own, which mincore doesn't see
  memory,            ///< tmpfs: the files are in memory and nowhere else
};

/// Notes the file system the folder lies on and what may cache it.
Caching observe_file_system(State& state, const std::filesystem::path& folder);

}  // namespace acceptance
