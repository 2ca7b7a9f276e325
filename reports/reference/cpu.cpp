#include <fmt/format.h>

#include <algorithm>

#include "reports/reference/reference.h"

namespace acceptance {
namespace {

/// Double-precision operations per cycle and core (an FMA counts two); single precision does twice
/// as many.
struct CorePeak {
  double fp64_per_cycle;
  bool known;  ///< of this very core, not only the most its instruction set allows
  std::string source;
};

bool has(const Cpu& cpu, std::string_view feature) {
  return std::find(cpu.features.begin(), cpu.features.end(), feature) != cpu.features.end();
}

CorePeak core_peak(const Cpu& cpu, const Catalogue& catalogue) {
  for (const auto& [name, m] : catalogue.cpus)
    if (cpu.vendor == m.vendor && cpu.family == m.family && cpu.model_number >= m.first_model &&
        cpu.model_number <= m.last_model)
      return {m.fp64_per_cycle.value, m.fp64_per_cycle.gates,
              fmt::format("{}: {} ({})", name, m.fp64_per_cycle.note,
                          citation(catalogue, m.fp64_per_cycle.source))};
  if (has(cpu, "avx512f")) return {32, false, "the most AVX-512 allows: two 512-bit FMA units"};
  if (has(cpu, "fma")) return {16, false, "the most AVX2 allows: two 256-bit FMA units"};
  if (has(cpu, "avx")) return {8, false, "the most AVX allows: a 256-bit add and multiply unit"};
  if (has(cpu, "sve"))
    return {64, false, "four 256-bit SVE FMA units, wider than any server core so far"};
  if (has(cpu, "asimd")) return {16, false, "four 128-bit FMA units"};
  return {4, false, "SSE2: a 128-bit add and multiply unit"};
}

// The clock is the best seen just before and after; under load it may be a little higher at times.
constexpr double clock_margin = 1.05;
// OpenBLAS reaches 80 to 95 % of one core's peak; a core that delivers half of it is not what was
// bought. All cores together run at a lower clock than one alone, which isn't known here, so they
// have no floor.
constexpr double least_efficiency = 0.5;

}  // namespace

std::optional<Reference> cpu_gemm_rate(const Point& point, const Evidence& evidence) {
  if (!evidence.core_clock || !evidence.threads) return std::nullopt;
  const CorePeak core =
      core_peak(evidence.node->cpu, evidence.catalogue ? *evidence.catalogue : builtin_catalogue());
  const bool fp32 = point.contains("precision") && point.at("precision") == Value("fp32");
  const double per_cycle = core.fp64_per_cycle * (fp32 ? 2 : 1);
  const double peak = *evidence.threads * *evidence.core_clock * per_cycle;
  Reference r;
  r.ceiling = peak * clock_margin;
  r.derivation = fmt::format(
      "peak {} = {} cores × {} measured × {} {} operations a cycle; ceiling = peak × {}",
      format(peak, Unit::flop_per_second), *evidence.threads,
      format(*evidence.core_clock, Unit::hertz), per_cycle, fp32 ? "fp32" : "fp64", clock_margin);
  r.source = core.source;
  const bool bare_metal = !evidence.node->virtual_machine();
  if (core.known && bare_metal && evidence.node->cpu.max_hz && *evidence.threads == 1) {
    r.floor = peak * least_efficiency;
    r.derivation += fmt::format("; floor = peak × {}", least_efficiency);
  }
  return r;
}

}  // namespace acceptance
