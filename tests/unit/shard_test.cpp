#include "suites/storage/shard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <set>

namespace acceptance {
namespace {
namespace fs = std::filesystem;

struct Folder {
  fs::path path = "accept-shard-test";  // in the build folder: /tmp may be no disk
  Folder() {
    fs::remove_all(path);
    fs::create_directory(path);
  }
  ~Folder() { fs::remove_all(path); }
};

constexpr std::size_t size = 6 << 20;  // a block and a half

TEST(Shard, IsDifferentInEveryWordAndTheSameForTheSameSeed) {
  const auto a = make_shard(size, 1);
  EXPECT_EQ(a.size() * sizeof a[0], size);
  EXPECT_EQ(std::set<std::uint64_t>(a.begin(), a.end()).size(), a.size());
  EXPECT_EQ(a, make_shard(size, 1));
  EXPECT_NE(a, make_shard(size, 2));
}

TEST(Shard, IsReplacedAsAWholeAndReadsBack) {
  const Folder f;
  const auto old_one = make_shard(size, 1), new_one = make_shard(size, 2);
  save_shard(f.path / "shard", old_one);
  save_shard(f.path / "shard", new_one);
  std::vector<std::uint64_t> back(new_one.size());
  read_shard(f.path / "shard", back);
  EXPECT_EQ(back, new_one);
  EXPECT_FALSE(fs::exists(f.path / "shard.new"));
}

TEST(Shard, AShortFileAndAMissingOneFail) {
  const Folder f;
  save_shard(f.path / "shard", make_shard(size, 1));
  fs::resize_file(f.path / "shard", size - 1);
  std::vector<std::uint64_t> back(size / 8);
  EXPECT_THROW(read_shard(f.path / "shard", back), Failure);
  EXPECT_THROW(read_shard(f.path / "none", back), Failure);
  EXPECT_THROW(save_shard(f.path / "no" / "folder", back), Failure);
}

// The proof of a cold read must be able to say no: pages that somebody has mapped can't be dropped.
TEST(DropFromCache, SaysWhatStaysInMemory) {
  const Folder f;
  const fs::path file = f.path / "shard";
  save_shard(file, make_shard(size, 1));
  const int fd = ::open(file.c_str(), O_RDONLY);
  void* map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
  ASSERT_NE(map, MAP_FAILED);
  EXPECT_GT(drop_from_cache(file), 0.9);
  ::munmap(map, size);
  ::close(fd);
  EXPECT_LT(drop_from_cache(file), 0.01) << "is the build folder on a disk?";
}

TEST(NeedRoom, RefusesWhatCanNotFit) {
  const Folder f;
  EXPECT_NO_THROW(need_room(f.path, 1e6, 1, 1));
  EXPECT_THROW(need_room(f.path, 1e18, 0, 1), Skip);
  EXPECT_THROW(need_room(f.path, 1e18, 1, 0), Skip);
}

}  // namespace
}  // namespace acceptance
