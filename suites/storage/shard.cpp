#include "suites/storage/shard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "suites/inventory/resources.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t block = 4 << 20;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what, const fs::path& file, int error) {
  throw Failure(
      fmt::format("{} {}: {}", what, file.string(), std::generic_category().message(error)));
}

class File {
 public:
  File(const fs::path& path, int flags)
      : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    if (fd_ < 0) fail("open", path_, errno);
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }
  void sync() {
    if (::fsync(fd_) != 0) fail("fsync", path_, errno);
  }
  /// Errors of delayed writes may come only here.
  void close() {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) fail("close", path_, errno);
  }

 private:
  fs::path path_;
  int fd_;
};

/// Time since the last call.
class Lap {
 public:
  double operator()() {
    const auto now = Clock::now();
    const std::chrono::duration<double> took = now - last_;
    last_ = now;
    return took.count();
  }

 private:
  Clock::time_point last_ = Clock::now();
};

}  // namespace

std::vector<std::uint64_t> make_shard(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::uint64_t> data(bytes / sizeof(std::uint64_t));
  std::uint64_t counter = seed * 0x9e3779b97f4a7c15;
  for (std::uint64_t& word : data) {  // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)
    std::uint64_t z = counter += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    word = z ^ (z >> 31);
  }
  return data;
}

SaveTimes save_shard(const fs::path& file, const std::vector<std::uint64_t>& shard) {
  const fs::path fresh = file.string() + ".new";
  const auto* bytes = reinterpret_cast<const char*>(shard.data());
  const std::size_t size = shard.size() * sizeof(shard[0]);
  SaveTimes times;
  Lap lap;
  File out(fresh, O_WRONLY | O_CREAT | O_TRUNC);
  for (std::size_t at = 0; at < size;) {
    const ssize_t n = ::write(out.fd(), bytes + at, std::min(block, size - at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("write", fresh, n < 0 ? errno : ENOSPC);
    at += static_cast<std::size_t>(n);
  }
  times.write = lap();
  out.sync();
  out.close();
  times.sync = lap();
  if (::rename(fresh.c_str(), file.c_str()) != 0) fail("rename", fresh, errno);
  times.rename = lap();
  File folder(file.parent_path(), O_RDONLY | O_DIRECTORY);
  if (::fsync(folder.fd()) != 0) {
    // Some network and object stores have no such thing; that is no fault of the machine.
    if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
      throw Skip(fmt::format("fsync of the folder {}: {}", file.parent_path().string(),
                             std::generic_category().message(errno)));
    fail("fsync", file.parent_path(), errno);
  }
  times.sync_directory = lap();
  return times;
}

double drop_from_cache(const fs::path& file) {
  File in(file, O_RDONLY);
  const auto size = static_cast<std::size_t>(fs::file_size(file));
  if (const int error = ::posix_fadvise(in.fd(), 0, 0, POSIX_FADV_DONTNEED); error != 0)
    fail("posix_fadvise", file, error);
  void* map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, in.fd(), 0);
  if (map == MAP_FAILED) fail("mmap", file, errno);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((size + page - 1) / page);
  const int error = ::mincore(map, size, resident.data()) == 0 ? 0 : errno;
  ::munmap(map, size);
  if (error != 0) fail("mincore", file, error);
  std::size_t count = 0;
  for (unsigned char r : resident) count += r & 1;
  return static_cast<double>(count) / static_cast<double>(resident.size());
}

double read_shard(const fs::path& file, std::vector<std::uint64_t>& into) {
  auto* bytes = reinterpret_cast<char*>(into.data());
  const std::size_t size = into.size() * sizeof(into[0]);
  Lap lap;
  File in(file, O_RDONLY);
  ::posix_fadvise(in.fd(), 0, 0, POSIX_FADV_SEQUENTIAL);
  for (std::size_t at = 0; at < size;) {
    const ssize_t n = ::read(in.fd(), bytes + at, std::min(block, size - at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", file, errno);
    if (n == 0)
      throw Failure(
          fmt::format("read {}: the file ends after {} of {} bytes", file.string(), at, size));
    at += static_cast<std::size_t>(n);
  }
  in.close();
  return lap();
}

void need_room(const fs::path& folder, double shard_bytes, int copies, int files) {
  if (const auto free = available_memory(); free && copies * shard_bytes > *free / 2)
    throw Skip(fmt::format("needs {} of memory, {} are available",
                           format(copies * shard_bytes, Unit::bytes), format(*free, Unit::bytes)));
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0) fail("statvfs", folder, errno);
  const double free = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  if (files * shard_bytes * 1.05 > free)
    throw Skip(fmt::format(
        "no space left in {}: needs {} and 5 % margin, {} are free; choose another folder "
        "with --target",
        folder.parent_path().string(), format(files * shard_bytes, Unit::bytes),
        format(free, Unit::bytes)));
}

Caching observe_file_system(State& state, const fs::path& folder) {
  std::error_code ignored;
  const std::string path = fs::canonical(folder, ignored).string();
  const Mount* best = nullptr;
  for (const Mount& m : state.node().mounts) {
    const bool under = path == m.path || path.starts_with(m.path == "/" ? m.path : m.path + "/");
    if (under && (!best || m.path.size() >= best->path.size())) best = &m;
  }
  state.observe("file system",
                best ? fmt::format("{} on {} ({})", best->kind, best->path, best->source)
                     : std::string("unknown"));
  const std::string kind = best ? best->kind : "unknown";
  const auto one_of = [&](std::initializer_list<std::string_view> kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  if (one_of({"tmpfs", "ramfs"})) return Caching::memory;
  const bool local = one_of({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "overlay"});
  const bool network =
      one_of({"nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "beegfs", "9p", "virtiofs"});
  if (!local && !network) return Caching::not_visible;
  if (local && !state.node().virtual_machine()) return Caching::page_cache_alone;
  state.observe("caches below",
                network ? "this node's is emptied, the server's may not be"
                        : "this machine's is emptied, that of the virtual disk's host may not be");
  return Caching::elsewhere_too;
}

}  // namespace acceptance
