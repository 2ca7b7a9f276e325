#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/cli/commands.h"
#include "suites/core/test.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

std::string scopes_of(const Test& t) {
  std::vector<std::string_view> words;
  for (Scope s : t.scopes) words.push_back(name(s));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string values_of(const std::vector<Value>& values, Unit unit) {
  std::vector<std::string> words;
  for (const Value& v : values) words.push_back(to_text(v, unit));
  return fmt::format("{}", fmt::join(words, ", "));
}

int list_all() {
  for (const Test& t : tests()) fmt::print("{:<30} {:<8} {}\n", t.name, scopes_of(t), t.about);
  fmt::print("\naccept list TEST says how its figures are defined\n");
  return 0;
}

int list_one(const std::string& wanted) {
  const Test* t = find_test(wanted);
  if (!t) {
    std::vector<std::string> names;
    for (const Test& x : tests()) names.push_back(x.name);
    throw std::invalid_argument(
        fmt::format("unknown test '{}'{}", wanted, suggestion(wanted, names)));
  }
  fmt::print("{} (version {})\n{}\n\nformula     {}\nscope       {}\nneeds       {}\n", t->name,
             t->version, t->about, t->formula, scopes_of(*t), name(t->needs));
  fmt::print(
      "sampling    at least {} samples, until the median is known to within {} or for {} (quick "
      "profile)\n",
      t->sampling.minimum, format(t->sampling.half_width, Unit::ratio),
      format(t->sampling.seconds, Unit::seconds));
  fmt::print("\nparameters\n");
  for (const Parameter& p : t->params) {
    fmt::print("  {:<10} {}\n", p.name, values_of(p.values, p.unit));
    if (!p.quick.empty()) fmt::print("  {:<10} quick: {}\n", "", values_of(p.quick, p.unit));
  }
  fmt::print("\nmetrics\n");
  for (const Metric& m : t->metrics)
    fmt::print("  {:<10} {}, {} is better: {}\n", m.name, symbol(m.unit), name(m.better), m.about);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  CLI::App* c =
      app.add_subcommand("list", "all tests, or one with its formula, parameters and metrics");
  auto test = std::make_shared<std::string>();
  c->add_option("test", *test, "name of a test")->type_name("TEST");
  c->callback([test, &action] {
    action = [test] { return test->empty() ? list_all() : list_one(*test); };
  });
}

}  // namespace acceptance
