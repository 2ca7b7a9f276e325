#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "suites/core/sampling.h"
#include "suites/core/value.h"

namespace acceptance {

class State;

enum class Scope { node, pair, group, cluster };
enum class Better { higher, lower };
/// What a test cannot do without; an inventory that lacks it makes the test not applicable.
enum class Need { none, mpi, storage };
enum class Profile { quick, standard };

std::string_view name(Scope scope);
std::string_view name(Better better);
std::string_view name(Need need);
std::string_view name(Profile profile);

struct Parameter {
  Parameter(std::string called, Unit in, std::vector<Value> all, std::vector<Value> few = {})
      : name(std::move(called)), unit(in), values(std::move(all)), quick(std::move(few)) {}
  Parameter(std::string called, std::vector<Value> words)
      : name(std::move(called)), unit(Unit::text), values(std::move(words)) {}

  std::string name;
  Unit unit;
  std::vector<Value> values;  ///< the standard profile's
  std::vector<Value> quick;   ///< the quick profile's; empty = the same

  const std::vector<Value>& of(Profile profile) const {
    return profile == Profile::quick && !quick.empty() ? quick : values;
  }
};

struct Metric {
  std::string name;
  Unit unit = Unit::count;
  Better better = Better::higher;
  std::string about;  ///< what exactly the number is
};

/// A test of the product: everything there is to know about it, in one value.
struct Test {
  std::string name;  ///< "suite.test"
  int version = 1;   ///< raised when figures stop being comparable
  std::string about;
  std::string formula;
  std::vector<Scope> scopes;
  Need needs = Need::none;
  std::vector<Parameter> params;
  std::vector<Metric> metrics;
  Sampling sampling;  ///< of the quick profile; the standard one samples five times as long
  double deadline_seconds = 120;
  bool twice =
      false;  ///< measured again after all else on its node, so that a drifting machine is seen
  std::function<void(State&)> body;

  std::string suite() const { return name.substr(0, name.find('.')); }
};

/// All registered tests, sorted by name.
std::span<const Test> tests();
/// Null when there is no test of that name.
const Test* find_test(std::string_view name);

/// Registers a test when a static object of it comes to life. Throws std::logic_error on a name
/// twice.
struct Register {
  explicit Register(Test test);
};

}  // namespace acceptance
