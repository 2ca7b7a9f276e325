#include "reports/reference/reference.h"

#include "reports/reference/expect.h"

namespace acceptance {

namespace {

std::optional<Reference> from_the_run(const std::string& test, const std::string& metric,
                                      const Point& point, const Evidence& evidence) {
  if (!evidence.node) return std::nullopt;
  if (test == "compute.cpu_gemm" && metric == "rate") return cpu_gemm_rate(point, evidence);
  if (test == "compute.memory_bandwidth" && metric == "rate") return memory_rate(evidence);
  if (test.starts_with("storage.checkpoint_") && metric == "rate") return storage_rate(evidence);
  if (test.starts_with("interconnect.mpi_") && (metric == "bandwidth" || metric == "algbw"))
    return evidence.one_machine ? local_message_rate(evidence) : network_message_rate(evidence);
  return std::nullopt;
}

}  // namespace

std::optional<Reference> reference_for(const std::string& test, const std::string& metric,
                                       const Point& point, const Evidence& evidence) {
  std::optional<Reference> run = from_the_run(test, metric, point, evidence);
  if (run) run->authority = "run";
  if (!evidence.cluster) return run;
  std::optional<Reference> promised = promised_reference(
      *evidence.cluster, evidence.catalogue ? *evidence.catalogue : builtin_catalogue(), test,
      metric, point, evidence.places);
  if (!promised) return run;
  if (run && run->ceiling && (!promised->ceiling || *run->ceiling < *promised->ceiling)) {
    promised->ceiling = run->ceiling;
    promised->derivation += "; " + run->derivation;
    promised->source += "; " + run->source;
  }
  return promised;
}

}  // namespace acceptance
