#include "reports/reference/reference.h"

namespace acceptance {

std::optional<Reference> reference_for(const std::string& test, const std::string& metric,
                                       const Point& point, const Evidence& evidence) {
  if (!evidence.node) return std::nullopt;
  if (test == "compute.cpu_gemm" && metric == "rate") return cpu_gemm_rate(point, evidence);
  if (test == "compute.memory_bandwidth" && metric == "rate") return memory_rate(evidence);
  if (test.starts_with("storage.checkpoint_") && metric == "rate") return storage_rate(evidence);
  if (evidence.one_machine && test.starts_with("interconnect.mpi_") &&
      (metric == "bandwidth" || metric == "algbw"))
    return local_message_rate(evidence);
  return std::nullopt;
}

}  // namespace acceptance
