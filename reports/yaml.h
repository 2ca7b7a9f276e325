#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "suites/core/unit.h"

namespace acceptance {

/// A part of a YAML document that knows its place, read strictly: unknown and duplicate keys, wrong
/// dimensions, control characters and merge keys (<<) are errors. Everything that fails throws
/// std::invalid_argument with file, line and key: "cluster.yaml:12: fabric.rate: …".
class Yaml {
 public:
  enum class Kind { nothing, scalar, list, map };

  /// One document. Anchors and aliases work. Refused: more than 16 MiB, 32 levels or 500,000
  /// values.
  static Yaml parse(const std::string& text, const std::string& file);

  Kind kind() const { return kind_; }
  explicit operator bool() const { return kind_ != Kind::nothing; }
  const std::string& file() const;
  int line() const { return line_; }
  /// Where it is in the document: "groups.compute.gpus"; empty at the top.
  const std::string& path() const { return path_; }

  /// The value of a key; nothing (false) where it is absent. The object must be a map, or nothing.
  const Yaml& operator[](const std::string& key) const;
  /// The value of a key that must be there.
  const Yaml& at(const std::string& key) const;
  /// All keys and values of a map, in order; none of nothing.
  const std::vector<std::pair<std::string, Yaml>>& members() const;
  /// All values of a list, in order; none of nothing.
  std::vector<const Yaml*> items() const;
  /// Refuses keys other than these, with a suggestion.
  void only(std::initializer_list<const char*> keys) const;

  /// A scalar as written.
  const std::string& text() const;
  /// A scalar that is one of these; else an error, with a suggestion.
  const std::string& one_of(const std::vector<std::string>& words) const;
  /// A list of words; a single word is a list of one.
  std::vector<std::string> words() const;
  /// A figure with its unit; a bare number is not accepted where the unit is not a count.
  double quantity(Unit unit) const;
  /// "3 .. 5 GB/s" or "4 GB/s" (both ends the same).
  std::pair<double, double> range(Unit unit) const;
  int count(int least, int most) const;
  bool flag() const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  friend class YamlBuilder;
  Kind kind_ = Kind::nothing;
  std::shared_ptr<const std::string> file_;
  std::string path_, scalar_;
  int line_ = 0;
  std::vector<std::pair<std::string, Yaml>> members_;  // of a list: with empty keys
};

}  // namespace acceptance
