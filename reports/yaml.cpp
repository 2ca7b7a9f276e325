#include "reports/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <stdexcept>

#include "suites/core/text.h"

namespace acceptance {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr std::size_t most_values = 500000;
constexpr std::size_t most_levels = 32;
constexpr std::size_t longest_key = 200;

std::string shortened(const std::string& text) {
  return text.size() <= longest_key ? text : text.substr(0, longest_key) + "…";
}

std::string joined(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

}  // namespace

/// Builds the tree from the parser's events, so that every value has a line and duplicates are
/// seen.
class YamlBuilder : public YAML::EventHandler {
 public:
  explicit YamlBuilder(const std::string& file)
      : file_(std::make_shared<const std::string>(file)) {}

  Yaml take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, "", anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(mark, value, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    Yaml at = blank(mark, Yaml::Kind::scalar);
    if (found == anchored_.end()) at.fail("an alias of something that is not complete");
    if (wants_key()) at.fail("an alias can't be a key");
    budget(at, size_of(found->second));
    at = replaced(found->second, at.path_);
    add(std::move(at));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, Yaml::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, Yaml::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Yaml node;
    YAML::anchor_t anchor;
    bool has_key;
    std::string key;
    int key_line;
    std::map<std::string, int> lines;  // of the keys so far
  };

  bool wants_key() const {
    return !open_.empty() && open_.back().node.kind_ == Yaml::Kind::map && !open_.back().has_key;
  }

  Yaml blank(const YAML::Mark& mark, Yaml::Kind kind) const {
    Yaml n;
    n.kind_ = kind;
    n.file_ = file_;
    n.line_ = mark.line + 1;
    if (!open_.empty()) {
      const Open& o = open_.back();
      n.path_ = joined(o.node.path_, o.node.kind_ == Yaml::Kind::map
                                         ? o.key
                                         : std::to_string(o.node.members_.size() + 1));
    }
    return n;
  }

  void budget(const Yaml& at, std::size_t more) {
    values_ += more;
    if (values_ > most_values) at.fail(fmt::format("more than {} values", most_values));
  }

  void keep(YAML::anchor_t anchor, const Yaml& n) {
    if (anchor == YAML::NullAnchor) return;
    budget(n, size_of(n));
    anchored_[anchor] = n;
  }

  static std::size_t size_of(const Yaml& n) {
    std::size_t size = 1;
    for (const auto& [key, child] : n.members_) size += size_of(child);
    return size;
  }

  /// The same values at another place; the lines stay those where they are written.
  static Yaml replaced(Yaml n, const std::string& path) {
    n.path_ = path;
    int i = 0;
    for (auto& [key, child] : n.members_) {
      ++i;
      child = replaced(std::move(child),
                       joined(path, n.kind_ == Yaml::Kind::map ? key : std::to_string(i)));
    }
    return n;
  }

  void scalar(const YAML::Mark& mark, const std::string& value, YAML::anchor_t anchor) {
    // Nothing in these files needs one, and what is read is printed on terminals later.
    if (printable(value) != value)
      blank(mark, Yaml::Kind::scalar).fail("holds a control character, a line break, or no UTF-8");
    if (!wants_key()) {
      Yaml n = blank(mark, Yaml::Kind::scalar);
      n.scalar_ = value;
      budget(n, 1);
      keep(anchor, n);
      return add(std::move(n));
    }
    Open& o = open_.back();
    o.key = value;
    o.key_line = mark.line + 1;
    Yaml at = blank(mark, Yaml::Kind::scalar);
    if (value == "<<") at.fail("merge keys (<<) are not supported; write the keys out");
    if (value.empty() || value.size() > longest_key) {
      at.path_ = o.node.path_;
      at.fail(value.empty() ? "a key is empty" : "a key is too long");
    }
    const auto [before, fresh] = o.lines.emplace(value, o.key_line);
    if (!fresh) at.fail(fmt::format("the key is there twice; first in line {}", before->second));
    o.has_key = true;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Yaml::Kind kind) {
    Yaml n = blank(mark, kind);
    if (wants_key()) n.fail("a key must be a word");
    if (open_.size() >= most_levels) n.fail(fmt::format("more than {} levels", most_levels));
    budget(n, 1);
    open_.push_back({std::move(n), anchor, false, "", 0, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    keep(done.anchor, done.node);
    add(std::move(done.node));
  }

  void add(Yaml n) {
    if (open_.empty()) {
      root_ = std::move(n);
      return;
    }
    Open& o = open_.back();
    if (o.node.kind_ == Yaml::Kind::map) n.line_ = o.key_line;
    o.node.members_.emplace_back(o.node.kind_ == Yaml::Kind::map ? o.key : "", std::move(n));
    o.has_key = false;
  }

  std::shared_ptr<const std::string> file_;
  Yaml root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Yaml> anchored_;
  std::size_t values_ = 0;
};

Yaml Yaml::parse(const std::string& text, const std::string& file) {
  if (text.size() > most_bytes)
    throw std::invalid_argument(
        fmt::format("{}: larger than {}", file, format(double(most_bytes), Unit::bytes)));
  std::istringstream in(text);
  YamlBuilder builder(file);
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder))
      throw std::invalid_argument(fmt::format("{}: is empty", file));
    YamlBuilder rest(file);
    if (parser.HandleNextDocument(rest))
      throw std::invalid_argument(fmt::format("{}: holds more than one document", file));
  } catch (const YAML::Exception& e) {
    throw std::invalid_argument(e.mark.is_null()
                                    ? fmt::format("{}: {}", file, e.msg)
                                    : fmt::format("{}:{}: {}", file, e.mark.line + 1, e.msg));
  }
  return builder.take();
}

const std::string& Yaml::file() const {
  static const std::string none = "a document";
  return file_ ? *file_ : none;
}

void Yaml::fail(const std::string& what) const {
  throw std::invalid_argument(fmt::format("{}{}: {}{}{}", file(),
                                          line_ > 0 ? fmt::format(":{}", line_) : "",
                                          shortened(path_), path_.empty() ? "" : ": ", what));
}

const std::vector<std::pair<std::string, Yaml>>& Yaml::members() const {
  if (kind_ == Kind::scalar && scalar_.empty()) return members_;  // "key:" with nothing after it
  if (kind_ != Kind::map && kind_ != Kind::nothing) fail("must be a map (key: value)");
  return members_;
}

const Yaml& Yaml::operator[](const std::string& key) const {
  static const Yaml nothing;
  for (const auto& [name, value] : members())
    if (name == key) return value;
  return nothing;
}

const Yaml& Yaml::at(const std::string& key) const {
  const Yaml& found = (*this)[key];
  if (!found) fail(fmt::format("'{}' is missing", key));
  return found;
}

std::vector<const Yaml*> Yaml::items() const {
  if (kind_ == Kind::scalar && scalar_.empty()) return {};
  if (kind_ != Kind::list && kind_ != Kind::nothing) fail("must be a list");
  std::vector<const Yaml*> all;
  for (const auto& [key, value] : members_) all.push_back(&value);
  return all;
}

void Yaml::only(std::initializer_list<const char*> keys) const {
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const auto& [name, value] : members())
    if (std::find(known.begin(), known.end(), name) == known.end())
      value.fail("unknown key" + suggestion(name, known));
}

const std::string& Yaml::text() const {
  if (kind_ != Kind::scalar) fail("must be a word or a figure");
  if (scalar_.empty()) fail("is empty");
  return scalar_;
}

const std::string& Yaml::one_of(const std::vector<std::string>& words) const {
  const std::string& word = text();
  if (std::find(words.begin(), words.end(), word) == words.end())
    fail(fmt::format("'{}' is none of {}{}", shortened(word), fmt::join(words, ", "),
                     suggestion(word, words)));
  return word;
}

std::vector<std::string> Yaml::words() const {
  if (kind_ == Kind::scalar) return {text()};
  std::vector<std::string> all;
  for (const Yaml* item : items()) all.push_back(item->text());
  return all;
}

double Yaml::quantity(Unit unit) const {
  try {
    const Quantity q = parse_quantity(text());
    if (q.unit == unit) return q.value;
    if (q.unit == Unit::count)
      throw std::invalid_argument(fmt::format("'{}' has no unit; expected a value in {}",
                                              shortened(scalar_), symbol(unit)));
    return parse_value(scalar_, unit);
  } catch (const std::invalid_argument& e) {
    fail(e.what());
  }
}

std::pair<double, double> Yaml::range(Unit unit) const {
  const std::size_t dots = text().find(" .. ");
  if (dots == std::string::npos) {
    const double value = quantity(unit);
    return {value, value};
  }
  Yaml last = *this, first = *this;
  last.scalar_ = scalar_.substr(dots + 4);
  // "3 .. 5 GB/s": the unit is written once, at the end.
  const std::size_t unit_at = last.scalar_.find(' ');
  first.scalar_ =
      scalar_.substr(0, dots) + (unit_at == std::string::npos ? "" : last.scalar_.substr(unit_at));
  const std::pair<double, double> ends{first.quantity(unit), last.quantity(unit)};
  if (ends.first > ends.second) fail("the range begins above its end");
  return ends;
}

int Yaml::count(int least, int most) const {
  int number = 0;
  const std::string& word = text();
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || number < least || number > most)
    fail(fmt::format("'{}' is no whole number from {} to {}", shortened(word), least, most));
  return number;
}

bool Yaml::flag() const {
  if (text() == "yes" || text() == "true") return true;
  if (text() == "no" || text() == "false") return false;
  fail(fmt::format("'{}' is neither yes nor no", shortened(scalar_)));
}

}  // namespace acceptance
