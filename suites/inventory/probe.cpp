#include "suites/inventory/probe.h"

#include <unistd.h>

#include <array>

#include "suites/inventory/sysfs.h"

namespace acceptance {

std::string host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

Node probe() {
  Node node;
  node.name = node.hostname = host_name();
  node.boot_id = read_text("/proc/sys/kernel/random/boot_id").value_or("");
  probe_processor(node);
  probe_memory(node);
  probe_devices(node);
  probe_system(node);
  probe_condition(node);
  return node;
}

}  // namespace acceptance
