#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reports/finding.h"
#include "reports/reference/catalogue.h"

namespace acceptance {

/// What physics and structure allow, before experience is asked. Values in the metric's base unit.
struct Model {
  double limit = 0;                   ///< the rate (or time) by the formula
  double ceiling = 0;                 ///< better than this is impossible
  std::string formula;                ///< of the limit, with figures
  std::string ceiling_formula;        ///< where it isn't the limit itself
  std::vector<std::string> families;  ///< in which published figures are sought, nearest first
  std::size_t floor_families = 1;     ///< how many of them may give a floor
  double floor_margin = 0.05;         ///< off the worst healthy published figure
  double lone_margin = 0.05;          ///< the same where only one figure is published
  std::optional<double> floor;        ///< where a published rule gives it
  std::string floor_formula;
  std::string no_floor;  ///< why there can be none; empty = there may be one
  std::vector<std::string> sources;
  double startup = 0;       ///< seconds before a message flows
  double busbw_factor = 0;  ///< bus bandwidth / algorithm bandwidth; 0 = no message
  bool lower_is_better = false;
};

/// The model of a setup; nothing when its parts or its test are not known. `without` is a row of
/// the catalogue that must not be used.
std::optional<Model> model_of(const Catalogue& catalogue, const Setup& setup,
                              std::optional<std::size_t> without = std::nullopt);

/// Published figures by the families of their models, as shares of what these allow.
std::map<std::string, std::vector<Share>> families_of(const Catalogue& catalogue);

/// Floor, typical figure and ceiling with their derivation and sources; nothing without a model.
/// A setup without an algorithm gets the lowest floor and the highest ceiling of those possible.
std::optional<Reference> derive(const Catalogue& catalogue, const Setup& setup,
                                std::optional<std::size_t> without = std::nullopt);

/// The median share of a family without one row; nothing where there is none.
std::optional<double> median_share(const Catalogue& catalogue, const std::string& family,
                                   std::optional<std::size_t> without);

/// A published figure beside the one derived without it.
struct Validation {
  const Published* row = nullptr;
  std::optional<Reference> reference;
  std::optional<double> error;  ///< derived / published - 1
  bool within = true;           ///< between floor and ceiling
};
std::vector<Validation> validate(const Catalogue& catalogue);
/// All of them as a table in Markdown, with the errors summed up.
std::string published_table(const Catalogue& catalogue);

/// The models, one file for each kind of part.
std::optional<Model> gpu_rate(const Catalogue& catalogue, const Setup& setup);
std::optional<Model> gpu_memory_rate(const Catalogue& catalogue, const Setup& setup);
std::optional<Model> host_copy_rate(const Catalogue& catalogue, const Setup& setup);
std::optional<Model> peer_copy_rate(const Catalogue& catalogue, const Setup& setup);
std::optional<Model> collective_rate(const Catalogue& catalogue, const Setup& setup,
                                     std::optional<std::size_t> without);
/// Time before an endless message flows, from published pairs of sizes: what the smaller took
/// beyond its share at the larger one's rate. 0 where there is none.
double startup_seconds(const Catalogue& catalogue, bool over_nodes,
                       std::optional<std::size_t> without);
std::optional<Model> rdma_rate(const Setup& setup);
std::optional<Model> rdma_latency(const Setup& setup);
std::optional<Model> tcp_rate(const Setup& setup);
std::optional<Model> sequential_rate(const Setup& setup);

/// Why a model's links may not join all GPUs of a node as fast as they could; empty when they do.
std::string doubt_of_links(const GpuModel& gpu, const Setup& setup);

/// One direction of a PCIe link, payload only, B/s. Throws std::invalid_argument for a generation
/// that is none.
double pcie_payload_rate(int generation, int lanes);

/// "450 GB/s".
inline std::string rate_text(double bytes_per_second) {
  return format(bytes_per_second, Unit::bytes_per_second);
}

}  // namespace acceptance
