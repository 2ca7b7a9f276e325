#include <fmt/format.h>

#include <algorithm>

#include "reports/cluster/cluster_file.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

/// Names of what is found out about nodes and about the promise itself.
const std::vector<std::string>& known_rules() {
  static const std::vector<std::string> all{"machine.contradiction",
                                            "machine.coverage",
                                            "machine.drift",
                                            "machine.fleet",
                                            "machine.launch",
                                            "machine.noise",
                                            "machine.pairs",
                                            "machine.plan",
                                            "machine.preflight",
                                            "machine.probe",
                                            "machine.process",
                                            "machine.quota",
                                            "machine.sweep",
                                            "rule.build",
                                            "rule.network-ratio",
                                            "rule.pcie-only",
                                            "rule.power",
                                            "rule.rail-per-gpu",
                                            "rule.spare-node",
                                            "rule.checkpoint-storage",
                                            "rule.separate-networks"};
  return all;
}

/// A typing error here would quietly require nothing, or soften nothing.
void must_be_known(const Yaml& at, const std::string& wanted,
                   const std::vector<std::string>& known) {
  if (std::none_of(known.begin(), known.end(), [&](const std::string& name) {
        return name.starts_with(wanted + ".") || glob(wanted, name);
      }))
    at.fail(fmt::format("there is nothing called '{}'{}", wanted, suggestion(wanted, known)));
}

}  // namespace

Policy read_policy(const Yaml& y) {
  y.only({"required", "tolerance", "severity"});
  Policy p;
  const std::vector<std::string> tests = known_tests();
  std::vector<std::string> all = tests;
  all.insert(all.end(), known_rules().begin(), known_rules().end());
  if (y["required"]) p.required = y["required"].words();
  for (const std::string& wanted : p.required) must_be_known(y["required"], wanted, tests);
  for (const auto& [what, value] : y["tolerance"].members()) {
    must_be_known(value, what, tests);
    const double t = value.quantity(Unit::ratio);
    if (t < 0 || t >= 1) value.fail("must be from 0 to below 100 %");
    p.tolerance[what] = t;
  }
  for (const auto& [what, value] : y["severity"].members()) {
    must_be_known(value, what, all);
    p.severity[what] = value.one_of({"fail", "remark", "ignore"});
  }
  return p;
}

}  // namespace acceptance
