#include <fmt/format.h>

#include <algorithm>

#include "reports/reference/derive.h"

namespace acceptance {
namespace {

const GpuModel* gpu_of(const Catalogue& c, const Setup& s) {
  const auto found = c.gpus.find(s.gpu);
  return found == c.gpus.end() ? nullptr : &found->second;
}

// The most a card was seen to clock above its datasheet's peak (H200 NVL: 1785 instead of 1545
// MHz).
constexpr double most_boost = 1785.0 / 1545.0;
// Datasheets round the memory's rate: 7.7 TB/s for 7.672, 2 TB/s for 2.039.
constexpr double rounding = 1.02;
// Tolerance of two public suites for GEMM against the best of its kind (FRYER, SBRULE).
constexpr double gemm_margin = 0.10;
// Where a single figure is known it may be the best of a search over shapes: shapes and data spread
// products by 20 to 30 %.
constexpr double lone_gemm_margin = 0.25;

}  // namespace

std::optional<Model> gpu_rate(const Catalogue& c, const Setup& s) {
  const GpuModel* gpu = gpu_of(c, s);
  if (!gpu || !gpu->peak.contains(s.precision)) return std::nullopt;
  const Sourced& peak = gpu->peak.at(s.precision);
  Model m;
  m.limit = peak.low;
  m.formula = fmt::format("dense {} peak of {}", s.precision, gpu->name);
  const bool clocks = gpu->clock && gpu->clock_max;
  const double boost =
      clocks ? std::max(1.0, gpu->clock_max->value / gpu->clock->value) : most_boost;
  double highest = peak.high;
  // Libraries take tensor or matrix cores for double precision without being asked.
  if (const auto tensor = gpu->peak.find("fp64_tensor");
      s.precision == "fp64" && tensor != gpu->peak.end())
    highest = std::max(highest, tensor->second.high);
  m.ceiling = highest * boost;
  m.ceiling_formula =
      clocks ? fmt::format("peak × highest clock {} / rated clock {}",
                           format(gpu->clock_max->value, Unit::hertz),
                           format(gpu->clock->value, Unit::hertz))
             : fmt::format("peak × {:.3g}, the most any card was seen to clock above its rating",
                           boost);
  const bool vector_units = s.precision == "fp64" || s.precision == "fp32";
  const std::string units = vector_units                                     ? "vector units"
                            : s.precision == "fp16" || s.precision == "bf16" ? "16-bit"
                                                                             : s.precision;
  m.families = {units + " products on " + gpu->name,
                units + " products on " + gpu->vendor + " GPUs"};
  m.floor_margin = gemm_margin;
  m.lone_margin = lone_gemm_margin;
  m.sources = {peak.source};
  if (!peak.gates) {
    m.ceiling = peak.high * 2;
    m.ceiling_formula = "twice the listed peak, which differs by variant";
    m.no_floor = "its peak only informs: " + (peak.note.empty() ? gpu->note : peak.note);
  }
  return m;
}

std::optional<Model> gpu_memory_rate(const Catalogue& c, const Setup& s) {
  const GpuModel* gpu = gpu_of(c, s);
  if (!gpu || !gpu->memory_bandwidth) return std::nullopt;
  Model m;
  m.limit = gpu->memory_bandwidth->value;
  m.formula = "memory bandwidth of " + gpu->name;
  if (gpu->memory_bits > 0) {
    constexpr double transfers_per_clock = 2;  // double data rate
    m.limit = gpu->memory_bits / 8.0 * gpu->memory_clock->value * transfers_per_clock;
    m.formula = fmt::format("{} bit × {} × 2 of {}", gpu->memory_bits,
                            format(gpu->memory_clock->value, Unit::hertz), gpu->name);
  }
  m.ceiling = m.limit * rounding;
  m.ceiling_formula = "limit × 1.02, as datasheets round";
  m.families = {s.kernel == "memcpy" ? "device memory by the runtime's copy"
                                     : "device memory by a kernel"};
  m.sources = {gpu->memory_bits > 0 ? gpu->memory_clock->source : gpu->memory_bandwidth->source};
  if (!gpu->memory_bandwidth->gates) m.no_floor = "its memory bandwidth only informs";
  return m;
}

}  // namespace acceptance
