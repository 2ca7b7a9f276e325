#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "suites/inventory/probe.h"
#include "suites/inventory/sysfs.h"

namespace acceptance {
namespace {

constexpr const char* entries_folder = "/sys/firmware/dmi/entries";

/// Little-endian fields of an SMBIOS structure, and the texts behind it; 0 and empty where it ends
/// earlier.
class Structure {
 public:
  explicit Structure(std::string_view bytes) : bytes_(bytes) {}
  std::size_t length() const { return bytes_.size() < 2 ? 0 : byte(1); }
  unsigned byte(std::size_t at) const {
    return at < bytes_.size() ? static_cast<unsigned char>(bytes_[at]) : 0;
  }
  unsigned field(std::size_t at, std::size_t width) const {
    unsigned value = 0;
    if (at + width <= length())
      for (std::size_t i = 0; i < width; ++i) value |= byte(at + i) << (8 * i);
    return value;
  }
  std::string text(std::size_t at) const {
    const unsigned wanted = field(at, 1);
    std::size_t begin = length();
    for (unsigned number = 1; number <= wanted && begin < bytes_.size(); ++number) {
      const std::size_t end = std::min(bytes_.find('\0', begin), bytes_.size());
      if (number == wanted) return std::string(bytes_.substr(begin, end - begin));
      begin = end + 1;
    }
    return "";
  }

 private:
  std::string_view bytes_;
};

double size_of(const Structure& s) {
  const unsigned size = s.field(0x0c, 2);
  if (size == 0 || size == 0xffff) return 0;
  if (size == 0x7fff) return s.field(0x1c, 4) * 1048576.0;
  return (size & 0x8000) != 0 ? (size & 0x7fff) * 1024.0 : size * 1048576.0;
}

std::string kind_of(unsigned type) {
  constexpr std::array<std::pair<unsigned, const char*>, 9> kinds{{{0x18, "DDR3"},
                                                                   {0x1a, "DDR4"},
                                                                   {0x1e, "LPDDR4"},
                                                                   {0x20, "HBM"},
                                                                   {0x21, "HBM2"},
                                                                   {0x22, "DDR5"},
                                                                   {0x23, "LPDDR5"},
                                                                   {0x24, "HBM3"},
                                                                   {0x1f, "non-volatile"}}};
  for (const auto& [number, name] : kinds)
    if (number == type) return name;
  return fmt::format("type {}", type);
}

}  // namespace

std::optional<MemorySlot> memory_slot(std::string_view structure) {
  constexpr unsigned memory_device = 17, of_dram = 3;
  const Structure s(structure);
  if (s.byte(0) != memory_device || s.length() < 0x15 || structure.size() < s.length())
    return std::nullopt;
  MemorySlot slot;
  slot.name = s.text(0x10);
  slot.kind = kind_of(s.field(0x12, 1));
  slot.bytes = size_of(s);
  if (const unsigned technology = s.field(0x28, 1); technology > of_dram)
    slot.kind = "non-volatile";
  unsigned rate = s.field(0x20, 2);
  if (rate == 0xffff) rate = s.field(0x58, 4);
  if (slot.bytes > 0 && rate > 0) slot.rate = rate * 1e6;
  const unsigned bits = s.field(0x0a, 2);
  if (slot.bytes > 0 && bits > 0 && bits < 0xffff) slot.bits = static_cast<int>(bits);
  return slot;
}

void probe_memory(Node& node) {
  for (const auto& entry : entries(entries_folder)) {
    if (!entry.filename().string().starts_with("17-")) continue;
    std::ifstream in(entry / "raw", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (const auto slot = memory_slot(bytes)) node.memory_slots.push_back(*slot);
  }
  if (!node.memory_slots.empty()) return;
  node.unknown["memory slots"] = read_text(std::string(entries_folder) + "/17-0/type")
                                     ? "needs root to read"
                                     : "not offered by this machine";
}

}  // namespace acceptance
