#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "reports/reference/catalogue.h"
#include "suites/core/cluster.h"

namespace acceptance {

/// What figures are held against: the catalogue and, where there is one, cluster.yaml.
struct Promise {
  std::shared_ptr<const Catalogue> own_catalogue;  ///< null = the one within the program
  std::optional<Cluster> cluster;
  std::string text;  ///< of cluster.yaml, as read
  /// "sha256:…" of what was read: "cluster.yaml", "catalogue/gpus.yaml".
  std::map<std::string, std::string> digests;

  const Catalogue& catalogue() const {
    return own_catalogue ? *own_catalogue : builtin_catalogue();
  }
  const Cluster* promised() const { return cluster ? &*cluster : nullptr; }
};

/// Reads both; empty paths stand for no cluster.yaml and the program's own catalogue. Throws
/// std::invalid_argument with file, line and key.
Promise load_promise(const std::filesystem::path& topology, const std::filesystem::path& catalogue);

}  // namespace acceptance
