#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reports/finding.h"
#include "reports/reference/catalogue.h"
#include "suites/core/cluster.h"

namespace acceptance {

/// What this run itself says about a node, for limits that follow from it.
struct Evidence {
  const Node* node = nullptr;            ///< of the first place
  bool one_machine = false;              ///< several ranks, all on the same machine
  std::optional<double> memory_copy;     ///< STREAM copy rate of that node, B/s
  std::optional<double> core_clock;      ///< best clock seen beside the measurement, Hz
  std::optional<double> threads;         ///< cores that took part
  const Catalogue* catalogue = nullptr;  ///< null = the one within the program
  const Cluster* cluster = nullptr;      ///< the promise, if there is one
  std::vector<std::string> places;       ///< nodes that took part, each once
};

/// The reference of a test's metric at a point: contract, else promise, else derived from models,
/// else what follows from the run itself; the lower ceiling counts. Nothing when none can be told.
std::optional<Reference> reference_for(const std::string& test, const std::string& metric,
                                       const Point& point, const Evidence& evidence);

/// The parts, one file each.
std::optional<Reference> cpu_gemm_rate(const Point& point, const Evidence& evidence);
std::optional<Reference> memory_rate(const Evidence& evidence);
std::optional<Reference> storage_rate(const Evidence& evidence);
std::optional<Reference> local_message_rate(const Evidence& evidence);
/// Between nodes: the rate of the port by which they reach one another, where that is known.
std::optional<Reference> network_message_rate(const Evidence& evidence);

}  // namespace acceptance
