#include "reports/cluster/promise.h"

#include "reports/cluster/cluster_file.h"
#include "reports/run_files.h"

namespace acceptance {

Promise load_promise(const std::filesystem::path& topology,
                     const std::filesystem::path& catalogue) {
  Promise p;
  if (!catalogue.empty()) p.own_catalogue = std::make_shared<Catalogue>(load_catalogue(catalogue));
  if (topology.empty()) return p;
  p.file = topology;
  p.text = read_file(topology, most_written_bytes);
  p.cluster = parse_cluster(p.text, topology.string(), p.catalogue());
  return p;
}

}  // namespace acceptance
