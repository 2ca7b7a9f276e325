#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reports/finding.h"
#include "reports/reference/catalogue.h"
#include "suites/core/cluster.h"

namespace acceptance {

/// What a promised cluster says about a measurement on these nodes (each once): the setup its
/// derivation needs. Nothing where the nodes are promised nowhere, or are of several kinds.
std::optional<Setup> setup_for(const Cluster& cluster, const std::string& test,
                               const std::string& metric, const Point& point,
                               const std::vector<std::string>& nodes);

/// What a measurement on these nodes should give: contract before promise before what is derived
/// from the models. Nothing where none of them says anything.
std::optional<Reference> promised_reference(const Cluster& cluster, const Catalogue& catalogue,
                                            const std::string& test, const std::string& metric,
                                            const Point& point,
                                            const std::vector<std::string>& nodes);

/// Whether a figure of the contract speaks of this measurement.
bool speaks_of(const ContractFigure& figure, const Cluster& cluster, const std::string& test,
               const std::string& metric, const Point& point,
               const std::vector<std::string>& nodes);

/// A figure that a cluster should deliver.
struct Expected {
  std::string test, metric, where;
  Point point;
  Unit unit = Unit::count;
  Reference reference;
};
/// All that can be said before anything is measured, tests of later builds included.
std::vector<Expected> expectations(const Cluster& cluster, const Catalogue& catalogue);

/// State of a model to be saved: "8B", "70B", "405B", and its bytes (14 a parameter: 16-bit
/// weights and the 32-bit weights and moments of Adam).
struct TrainingState {
  std::string name;
  double bytes;
};
const std::vector<TrainingState>& training_states();

}  // namespace acceptance
