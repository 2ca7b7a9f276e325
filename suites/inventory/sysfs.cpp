#include "suites/inventory/sysfs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

namespace acceptance {
namespace fs = std::filesystem;

std::optional<std::string> read_text(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) return std::nullopt;
  std::string s = text.str();
  while (!s.empty() && (s.back() == '\n' || s.back() == ' ' || s.back() == '\0')) s.pop_back();
  return s;
}

std::optional<std::string> read_fact(const fs::path& file, const std::string& fact,
                                     std::map<std::string, std::string>& unknown) {
  errno = 0;
  auto text = read_text(file);
  if (text && !text->empty()) return text;
  unknown[fact] = errno == EACCES || errno == EPERM ? "needs root to read"
                  : text                            ? fmt::format("{} is empty", file.string())
                                                    : "not offered by this machine";
  return std::nullopt;
}

std::optional<double> read_number(const fs::path& file) {
  const auto text = read_text(file);
  if (!text) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end == text->data()) return std::nullopt;
  return value;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    all.push_back(it->path());
  std::sort(all.begin(), all.end());
  return all;
}

std::string link_name(const fs::path& link) {
  std::error_code error;
  const fs::path to = fs::read_symlink(link, error);
  return error ? "" : to.filename().string();
}

}  // namespace acceptance
