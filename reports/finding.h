#pragma once
#include <optional>
#include <string>
#include <vector>

#include "suites/core/json.h"

namespace acceptance {

/// What a figure is held against. Values in the metric's base unit.
struct Reference {
  std::optional<double> floor;    ///< worse than this = fail
  std::optional<double> typical;  ///< what healthy ones reach
  std::optional<double> ceiling;  ///< better than this is physically impossible
  std::string derivation;         ///< how it comes about, with figures
  std::string source;             ///< where the figures in it are from
  std::string authority;  ///< contract, promise, derived (from models), run (this run itself)
};

enum class Verdict { pass, fail, remark, inconclusive, not_run, not_applicable, measured };
std::string_view name(Verdict verdict);

struct Measured {
  double value = 0;                 ///< the median
  std::optional<double> low, high;  ///< its 95 % interval; absent below six samples
  Unit unit = Unit::count;
  std::uint64_t samples = 0;
};

/// One line of the passport.
struct Finding {
  std::string test, metric;
  Point point;
  std::vector<std::string> where;
  int attempt = 1;
  bool required = true;
  Verdict verdict = Verdict::not_run;
  std::optional<Measured> measured;
  std::optional<Reference> reference;
  std::string reason, remedy;
  Trouble trouble = Trouble::none;
  std::vector<std::string>
      culprits;  ///< places to blame; empty when there is none or it isn't known
  std::vector<Observation> observations;
};

void to_json(Json& j, const Reference& r);
void to_json(Json& j, const Measured& m);
void to_json(Json& j, const Finding& f);

}  // namespace acceptance
