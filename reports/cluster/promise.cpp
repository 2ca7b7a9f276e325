#include "reports/cluster/promise.h"

#include <sstream>

#include "reports/cluster/cluster_file.h"
#include "reports/run_files.h"

namespace acceptance {

Promise load_promise(const std::filesystem::path& topology,
                     const std::filesystem::path& catalogue) {
  Promise p;
  if (!catalogue.empty()) {
    p.own_catalogue = std::make_shared<Catalogue>(load_catalogue(catalogue));
    for (const auto& file : std::filesystem::directory_iterator(catalogue))
      if (file.is_regular_file() && file.path().extension() == ".yaml")
        p.digests["catalogue/" + file.path().filename().string()] = digest(file.path());
  }
  if (topology.empty()) return p;
  p.text = read_file(topology, most_written_bytes);
  std::istringstream bytes(p.text);
  p.digests["cluster.yaml"] = digest(bytes);
  p.cluster = parse_cluster(p.text, topology.string(), p.catalogue());
  return p;
}

}  // namespace acceptance
