#include "suites/core/node_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <stdexcept>

#include "suites/core/text.h"

namespace acceptance {
namespace {

constexpr std::size_t most_nodes = 65536;

[[noreturn]] void refuse(const std::string& set, const std::string& why) {
  throw std::invalid_argument(fmt::format("node set '{}': {}", set, why));
}

bool is_name(const std::string& name) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= 253 && std::isalnum(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), plain);
}

/// Splits at commas that are in no brackets.
std::vector<std::string> parts_of(const std::string& set) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : set) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth < 0 || depth > 1) refuse(set, "brackets don't match");
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (depth != 0) refuse(set, "brackets don't match");
  return parts;
}

std::size_t number(const std::string& set, const std::string& digits) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    refuse(set, fmt::format("'{}' is no number", digits));
  return n;
}

/// "01-16" or "20" → the numbers as written, zeros in front kept.
std::vector<std::string> range(const std::string& set, const std::string& text) {
  const auto dash = text.find('-');
  const std::string first = text.substr(0, dash),
                    last = dash == std::string::npos ? first : text.substr(dash + 1);
  const std::size_t from = number(set, first), to = number(set, last);
  if (to < from) refuse(set, fmt::format("the range {} runs backwards", text));
  if (to - from >= most_nodes) refuse(set, fmt::format("the range {} is too long", text));
  std::vector<std::string> all;
  for (std::size_t i = from; i <= to; ++i) all.push_back(fmt::format("{:0{}}", i, first.size()));
  return all;
}

/// One part with any number of brackets: their product.
std::vector<std::string> expand(const std::string& set, const std::string& part) {
  const auto open = part.find('[');
  if (open == std::string::npos) return {part};
  const auto close = part.find(']', open);
  std::vector<std::string> middle, all;
  std::string inside = part.substr(open + 1, close - open - 1);
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t comma = std::min(inside.find(',', at), inside.size());
    for (std::string& n : range(set, inside.substr(at, comma - at))) middle.push_back(std::move(n));
    at = comma + 1;
  }
  for (const std::string& rest : expand(set, part.substr(close + 1)))
    for (const std::string& n : middle) {
      all.push_back(part.substr(0, open) + n + rest);
      if (all.size() > most_nodes) refuse(set, "too many names");
    }
  return all;
}

void check(const std::string& set, const std::vector<std::string>& names) {
  if (names.empty()) refuse(set, "it is empty");
  if (names.size() > most_nodes) refuse(set, "too many names");
  std::set<std::string> seen;
  for (const std::string& n : names) {
    if (!is_name(n)) refuse(set, fmt::format("'{}' is no host name", n));
    if (!seen.insert(n).second) refuse(set, fmt::format("{} is in it twice", n));
  }
}

}  // namespace

std::vector<std::string> expand_node_set(const std::string& set) {
  std::vector<std::string> names;
  for (const std::string& part : parts_of(set)) {
    const std::vector<std::string> some =
        part.starts_with('@') ? read_host_file(part.substr(1)) : expand(set, part);
    names.insert(names.end(), some.begin(), some.end());
  }
  check(set, names);
  return names;
}

std::vector<std::string> read_host_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    throw std::invalid_argument(fmt::format("can't read the host file {}", file.string()));
  std::vector<std::string> names;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    std::string name = line.substr(begin, line.find_first_of(" \t\r:", begin) - begin);
    if (!is_name(name))
      throw std::invalid_argument(
          fmt::format("{}:{}: no host name at the beginning of the line", file.string(), number));
    names.push_back(std::move(name));
    if (names.size() > most_nodes)
      throw std::invalid_argument(fmt::format("{}:{}: too many names", file.string(), number));
  }
  if (names.empty())
    throw std::invalid_argument(fmt::format("the host file {} names no host", file.string()));
  return names;
}

std::vector<std::string> without(std::vector<std::string> names,
                                 const std::vector<std::string>& excluded) {
  for (const std::string& e : excluded) {
    const auto it = std::find(names.begin(), names.end(), e);
    if (it == names.end())
      throw std::invalid_argument(fmt::format("{} is to be excluded, but isn't among the nodes{}",
                                              e, suggestion(e, names)));
    names.erase(it);
  }
  if (names.empty()) throw std::invalid_argument("every node is excluded");
  return names;
}

std::string fold_node_set(const std::vector<std::string>& names) {
  struct Run {
    std::string prefix, first, last;
  };
  std::vector<Run> runs;
  for (const std::string& name : names) {
    constexpr std::size_t most_digits = 9;
    std::size_t digits = name.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) &&
           name.size() - digits < most_digits)
      --digits;
    const std::string prefix = name.substr(0, digits), number = name.substr(digits);
    Run* r = runs.empty() ? nullptr : &runs.back();
    if (r && !number.empty() && r->prefix == prefix && r->last.size() == number.size() &&
        std::stol(number) == std::stol(r->last) + 1)
      r->last = number;
    else
      runs.push_back({prefix, number, number});
  }
  std::string set;
  for (const Run& r : runs) {
    if (!set.empty()) set += ",";
    set += r.first == r.last ? r.prefix + r.first
                             : fmt::format("{}[{}-{}]", r.prefix, r.first, r.last);
  }
  return set;
}

}  // namespace acceptance
