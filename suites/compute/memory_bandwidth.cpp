#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "suites/compute/host_kernel.h"
#include "suites/compute/stream_kernels.h"
#include "suites/core/state.h"
#include "suites/inventory/resources.h"
#include "suites/inventory/sysfs.h"

namespace acceptance {
namespace {

/// Memory not yet touched, in huge pages on request. Arrays of one size would begin at equal
/// offsets in every cache and memory bank, and thrash them; `number` moves each by some odd lines
/// (STREAM's OFFSET).
class Array {
 public:
  Array(std::size_t count, bool huge, std::size_t number)
      : bytes_(count * sizeof(double) + most_shift) {
    void* p = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      throw Skip(fmt::format("mmap of {}: {}", format(static_cast<double>(bytes_), Unit::bytes),
                             std::strerror(errno)));
    if (huge) ::madvise(p, bytes_, MADV_HUGEPAGE);
    start_ = p;
    data_ = reinterpret_cast<double*>(static_cast<char*>(p) + number * shift);
  }
  ~Array() { ::munmap(start_, bytes_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  double* data() const { return data_; }

 private:
  static constexpr std::size_t shift = 37 * 4096 + 5 * 64, most_shift = 3 * shift;
  std::size_t bytes_;
  void* start_ = nullptr;
  double* data_ = nullptr;
};

struct Slice {
  std::size_t begin, count;
};
/// The part of thread t; borders at multiples of a cache line.
Slice slice(std::size_t count, std::size_t threads, std::size_t t) {
  constexpr std::size_t line = 64 / sizeof(double);
  const std::size_t lines = count / line;
  const std::size_t begin = lines * t / threads * line;
  const std::size_t end = t + 1 == threads ? count : lines * (t + 1) / threads * line;
  return {begin, end - begin};
}

/// Huge pages are of use only while they are small beside what one thread touches first; with 64
/// KiB base pages they have half a gigabyte, and one thread's touch would place another's memory.
bool huge_pages_fit(double slice_bytes) {
  const auto size = read_number("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  return size && *size <= slice_bytes / 4;
}

/// Four times all last-level caches; where those aren't known for sure, also more than any host's.
double array_bytes_for(const Node& node) {
  const double cache = node.last_level_cache_bytes();
  const bool sure = cache > 0 && !node.virtual_machine();
  return std::max(4 * cache, sure ? 64_MiB : 512_MiB);
}

void body(State& state) {
  const StreamKernel& kernel = stream_kernel(state.word("kernel"));
  const double cache = state.node().last_level_cache_bytes();
  const double array_bytes = array_bytes_for(state.node());
  if (const auto free = available_memory(); free && 3 * array_bytes > *free / 2)
    throw Skip(fmt::format("needs three arrays of {}, {} are available",
                           format(array_bytes, Unit::bytes), format(*free, Unit::bytes)));
  const auto count = static_cast<std::size_t>(array_bytes / sizeof(double));
  const auto& cpus = state.node().cpu.usable;
  if (cpus.empty()) throw Skip("no core is known that this process may use");
  const bool huge = huge_pages_fit(array_bytes / static_cast<double>(cpus.size()));
  const Array a(count, huge, 0), b(count, huge, 1), c(count, huge, 2);
  const std::array<double*, 3> arrays{a.data(), b.data(), c.data()};

  const auto part = [&](int thread) {
    return slice(count, cpus.size(), static_cast<std::size_t>(thread));
  };
  HostKernel touch{"first touch", cpus, [&](int t) {
                     const auto [begin, n] = part(t);
                     for (std::size_t i = 0; i < arrays.size(); ++i)
                       std::fill_n(arrays[i] + begin, n, stream_initial[i]);
                   }};
  HostKernel work{std::string(kernel.name), cpus, [&](int t) {
                    const auto [begin, n] = part(t);
                    kernel.run(a.data() + begin, b.data() + begin, c.data() + begin, n);
                  }};
  state.phase("first touch");
  run(touch, 1);
  const long passes = calibrate(work, 0.05);
  run(touch, 1);  // the right values of before must not pass for those of the timed passes
  const double bytes = kernel.arrays * static_cast<double>(count) * sizeof(double);
  state.sample([&] { return run(work, passes); },
               [&](double seconds) {
                 return Figures{{"rate", bytes / seconds}};
               });

  state.phase("validating");
  const double* result = arrays[kernel.result];
  const bool right =
      std::all_of(result, result + count, [&](double v) { return v == kernel.expected; });
  state.require(right, fmt::format("{} left wrong values in memory", kernel.name));
  state.observe("array size", static_cast<double>(count) * sizeof(double), Unit::bytes);
  state.observe("sum of last-level caches", cache > 0 ? Value(cache) : Value("unknown"),
                Unit::bytes);
  state.observe("huge pages", huge ? "asked for" : "no");
  state.observe("threads", static_cast<double>(cpus.size()), Unit::count);
  state.observe("stores", stream_stores);
}

const Register memory_bandwidth{{
    .name = "compute.memory_bandwidth",
    .version = 1,
    .about = "STREAM: bandwidth of main memory with all cores, one bound thread each.",
    .formula = "array bytes read and written / time of one pass (write-allocate not counted)",
    .scopes = {Scope::node},
    .needs = Need::none,
    .params = {{"kernel", {"copy", "scale", "add", "triad"}}},
    .metrics = {{"rate", Unit::bytes_per_second, Better::higher,
                 "copy and scale move 16 bytes an element, add and triad 24; arrays of at least "
                 "four times "
                 "all last-level caches, touched first by the threads that use them"}},
    .sampling = {.half_width = 0.02, .minimum = 8, .seconds = 2},
    .body = body,
}};

}  // namespace
}  // namespace acceptance
