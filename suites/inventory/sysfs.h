#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace acceptance {

/// The text of a small file without the trailing newline; nothing when it can't be read.
std::optional<std::string> read_text(const std::filesystem::path& file);
/// The same, and why not is noted in `unknown` under `fact` ("needs root", "not offered by this
/// machine").
std::optional<std::string> read_fact(const std::filesystem::path& file, const std::string& fact,
                                     std::map<std::string, std::string>& unknown);
/// The whole number a file holds; nothing when it holds none.
std::optional<double> read_number(const std::filesystem::path& file);
/// Entries of a folder in name order; empty when it can't be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);
/// Last part of where a link leads, such as a driver's name; empty when it is no link.
std::string link_name(const std::filesystem::path& link);

}  // namespace acceptance
