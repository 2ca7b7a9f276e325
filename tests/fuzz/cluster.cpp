#include <stdexcept>
#include <string>

#include "reports/cluster/cluster_file.h"
#include "reports/reference/expect.h"
#include "reports/verdict/rules.h"

using namespace acceptance;

/// Whatever the text: a cluster, from which references follow, or one clear complaint.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Cluster c = parse_cluster(text, "f", builtin_catalogue());
    expectations(c, builtin_catalogue());
    judge_promise(c, builtin_catalogue());
  } catch (const std::invalid_argument&) {
    return 0;
  }
  return 0;
}
