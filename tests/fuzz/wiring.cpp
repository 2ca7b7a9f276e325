#include "reports/cluster/wiring.h"

#include <string>

using namespace acceptance;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  leaves_of_slurm(text);
  leaves_of_ibnetdiscover(text);
  leaves_of_lldp(text);
  return 0;
}
