#include "suites/inventory/probe.h"

#include <unistd.h>

#include <array>

#include "suites/inventory/sysfs.h"

namespace acceptance {

Node probe() {
  Node node;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  node.name = node.hostname = host.data();
  node.boot_id = read_text("/proc/sys/kernel/random/boot_id").value_or("");
  probe_processor(node);
  probe_devices(node);
  probe_system(node);
  probe_condition(node);
  return node;
}

}  // namespace acceptance
