#include "reports/cluster/wiring.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "suites/core/node_set.h"

namespace acceptance {
namespace {

void add(Leaves& leaves, const std::string& leaf, const std::string& node) {
  std::vector<std::string>& nodes = leaves[leaf];
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

/// The value of "Key=value" among words, whatever the key's case; empty when it isn't there.
std::string value_of(const std::string& line, std::string key) {
  std::istringstream words(line);
  const auto lower = [](std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
    return s;
  };
  key = lower(key);
  for (std::string word; words >> word;)
    if (const std::size_t equals = word.find('=');
        equals != std::string::npos && lower(word.substr(0, equals)) == key)
      return word.substr(equals + 1);
  return "";
}

/// The text between the first pair of quotes after `from`; empty when there is none.
std::string quoted(const std::string& line, std::size_t from) {
  const std::size_t open = line.find('"', from);
  const std::size_t close = open == std::string::npos ? open : line.find('"', open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

}  // namespace

Leaves leaves_of_slurm(const std::string& text) {
  Leaves leaves;
  std::istringstream in(text);
  std::string whole;
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.pop_back();
    whole += line;
    if (goes_on) continue;
    const std::string name = value_of(whole, "SwitchName"), nodes = value_of(whole, "Nodes");
    whole.clear();
    if (name.empty() || nodes.empty() || nodes.find('@') != std::string::npos) continue;
    try {
      for (const std::string& node : expand_node_set(nodes)) add(leaves, name, node);
    } catch (const std::invalid_argument&) {
      continue;  // Slurm knows more kinds of sets than we do
    }
  }
  return leaves;
}

Leaves leaves_of_ibnetdiscover(const std::string& text) {
  Leaves leaves;
  std::istringstream in(text);
  std::string leaf;
  for (std::string line; std::getline(in, line);) {
    const std::size_t comment = line.find('#');
    const std::string description = comment == std::string::npos ? "" : quoted(line, comment);
    if (line.starts_with("Switch")) {
      // "MF0;leaf1:MSX6036/U1" names the switch between ';' and ':'; otherwise its GUID has to do.
      const std::size_t semicolon = description.find(';');
      leaf =
          semicolon == std::string::npos
              ? quoted(line, 0)
              : description.substr(semicolon + 1, description.find(':', semicolon) - semicolon - 1);
    } else if (line.starts_with("Ca") || line.starts_with("Rt")) {
      leaf.clear();
    } else if (line.starts_with("[") && !leaf.empty() && quoted(line, 0).starts_with("H-")) {
      const std::string node = description.substr(0, description.find(' '));
      if (!node.empty()) add(leaves, leaf, node);
    }
  }
  return leaves;
}

Leaves leaves_of_lldp(const std::string& text) {
  Leaves leaves;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t colon = line.find(": lldp."), name = line.find(".chassis.name=");
    if (colon == std::string::npos || name == std::string::npos || name < colon || colon == 0)
      continue;
    const std::string leaf = line.substr(line.find('=', name) + 1);
    if (!leaf.empty()) add(leaves, leaf, line.substr(0, colon));
  }
  return leaves;
}

}  // namespace acceptance
