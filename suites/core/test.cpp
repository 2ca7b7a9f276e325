#include "suites/core/test.h"

#include <algorithm>
#include <stdexcept>

namespace acceptance {
namespace {
std::vector<Test>& registry() {
  static std::vector<Test> all;
  return all;
}
}  // namespace

std::string_view name(Scope scope) {
  switch (scope) {
    case Scope::node: return "node";
    case Scope::pair: return "pair";
    case Scope::group: return "group";
    case Scope::cluster: return "cluster";
  }
  return "";
}
std::string_view name(Better better) { return better == Better::higher ? "higher" : "lower"; }
std::string_view name(Need need) {
  return need == Need::mpi ? "mpi" : need == Need::storage ? "storage" : "none";
}
std::string_view name(Profile profile) { return profile == Profile::quick ? "quick" : "standard"; }

std::span<const Test> tests() { return registry(); }

const Test* find_test(std::string_view name) {
  const auto& all = registry();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Test& t) { return t.name == name; });
  return it == all.end() ? nullptr : &*it;
}

Register::Register(Test test) {
  auto& all = registry();
  const auto at = std::lower_bound(all.begin(), all.end(), test,
                                   [](const Test& a, const Test& b) { return a.name < b.name; });
  if (at != all.end() && at->name == test.name)
    throw std::logic_error("test registered twice: " + test.name);
  all.insert(at, std::move(test));
}

}  // namespace acceptance
