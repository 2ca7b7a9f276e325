#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace acceptance {

/// Names a node set stands for, in order: "n1,n[01-16,20],@hosts". Host names are letters, digits,
/// '.', '-' and '_' and begin with a letter or digit, so that none can be an option or anything to
/// a shell. Throws std::invalid_argument saying what is wrong: an empty set, a name twice, an
/// impossible name or range, more than 65,536 names.
std::vector<std::string> expand_node_set(const std::string& set);

/// The inverse, as short as runs of numbers allow: "n[01-16],login".
std::string fold_node_set(const std::vector<std::string>& names);

/// Names in a host file, one a line: "n1", "n1 slots=8", "n1:8"; comments (#), blank lines and
/// Windows line ends are understood. Throws std::invalid_argument with file and line.
std::vector<std::string> read_host_file(const std::filesystem::path& file);

/// `names` without those in `excluded`. Throws std::invalid_argument when one to be excluded isn't
/// there.
std::vector<std::string> without(std::vector<std::string> names,
                                 const std::vector<std::string>& excluded);

}  // namespace acceptance
