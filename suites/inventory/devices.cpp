#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "suites/inventory/probe.h"
#include "suites/inventory/sysfs.h"

namespace acceptance {
namespace {
namespace fs = std::filesystem;

std::optional<int> whole(const fs::path& file) {
  const auto v = read_number(file);
  return v ? std::optional(static_cast<int>(*v)) : std::nullopt;
}

/// A device's NUMA node; -1 in sysfs means unknown, not node 0.
std::optional<int> numa_of(const fs::path& device) {
  const auto n = whole(device / "numa_node");
  return n && *n >= 0 ? n : std::nullopt;
}

/// "16.0 GT/s PCIe" → 16e9 transfers per second and lane.
std::optional<double> link_speed(const fs::path& file) {
  const auto gt = read_number(file);
  return gt && *gt > 0 ? std::optional(*gt * 1e9) : std::nullopt;
}

std::optional<int> link_width(const fs::path& file) {
  const auto lanes = whole(file);
  return lanes && *lanes > 0 && *lanes <= 32 ? lanes : std::nullopt;
}

std::string kind_of(const std::string& pci_class) {
  const std::string base = pci_class.size() >= 6 ? pci_class.substr(2, 4) : "";
  if (base.starts_with("03")) return "display";
  if (base.starts_with("01")) return "storage";
  if (base.starts_with("02")) return "network";
  if (base.starts_with("12")) return "accelerator";
  if (base.starts_with("06")) return "bridge";
  return "other";
}

void probe_pci(Node& node) {
  for (const fs::path& d : entries("/sys/bus/pci/devices")) {
    PciDevice p;
    p.address = d.filename().string();
    p.kind = kind_of(read_text(d / "class").value_or(""));
    if (p.kind == "bridge" || p.kind == "other") continue;
    p.vendor = read_text(d / "vendor").value_or("");
    p.device = read_text(d / "device").value_or("");
    p.driver = link_name(d / "driver");
    p.link_speed = link_speed(d / "current_link_speed");
    p.link_speed_best = link_speed(d / "max_link_speed");
    p.link_width = link_width(d / "current_link_width");
    p.link_width_best = link_width(d / "max_link_width");
    p.numa = numa_of(d);
    node.pci.push_back(p);
  }
}

/// Asks the driver by ioctl; needs no root.
void ask_driver(Nic& nic) {
  const int s = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (s < 0) return;
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  ifreq request{};
  nic.name.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&info);
  if (::ioctl(s, SIOCETHTOOL, &request) == 0) {
    nic.driver = std::string(info.driver, ::strnlen(info.driver, sizeof info.driver));
    const std::string fw(info.fw_version, ::strnlen(info.fw_version, sizeof info.fw_version));
    if (!fw.empty() && fw != "N/A") nic.firmware = fw;
  }
  ::close(s);
}

void probe_nics(Node& node) {
  for (const fs::path& d : entries("/sys/class/net")) {
    Nic n;
    n.name = d.filename().string();
    if (n.name == "lo") continue;
    n.physical = fs::exists(d / "device");
    n.mac = read_text(d / "address").value_or("");
    n.state = read_text(d / "operstate").value_or("unknown");
    n.driver = link_name(d / "device" / "driver");
    n.pci = n.physical ? link_name(d / "device") : "";
    if (const auto rdma = entries(d / "device" / "infiniband"); !rdma.empty())
      n.rdma = rdma.front().filename().string();
    if (const auto megabits = read_number(d / "speed"); megabits && *megabits > 0)
      n.speed = *megabits * 1e6 / 8;
    ask_driver(n);
    if (n.physical && !n.speed)
      node.unknown[fmt::format("nic.{}.speed", n.name)] = "the driver reports none";
    node.nics.push_back(n);
  }
}

void probe_rdma(Node& node) {
  for (const fs::path& d : entries("/sys/class/infiniband"))
    for (const fs::path& p : entries(d / "ports"))
      node.rdma.push_back({d.filename().string(), read_text(p / "link_layer").value_or(""),
                           read_text(p / "state").value_or(""), read_text(p / "rate").value_or(""),
                           read_text(d / "fw_ver").value_or(""), std::atoi(p.filename().c_str())});
}

std::string transport_of(const std::string& name, const fs::path& device) {
  if (name.starts_with("nvme")) return "nvme";
  if (name.starts_with("vd")) return "virtio";
  const std::string subsystem = link_name(device / "subsystem");
  return subsystem.empty() ? "unknown" : subsystem;
}

void probe_drives(Node& node) {
  for (const fs::path& d : entries("/sys/block")) {
    const std::string name = d.filename().string();
    if (!fs::exists(d / "device")) continue;                   // loop, ram, md, dm: not hardware
    if (read_number(d / "hidden").value_or(0) != 0) continue;  // a path of a multipath drive
    // Sticks, and media that a console puts in: no part of the machine.
    if (read_number(d / "removable").value_or(0) != 0) continue;
    if (read_number(d / "size").value_or(0) <= 0) continue;
    Drive drive;
    drive.name = name;
    drive.model = read_text(d / "device/model").value_or("");
    drive.firmware =
        read_text(d / "device/firmware_rev").value_or(read_text(d / "device/rev").value_or(""));
    drive.serial = read_text(d / "device/serial").value_or(read_text(d / "serial").value_or(""));
    drive.transport = transport_of(name, d / "device");
    drive.bytes = read_number(d / "size").value_or(0) * 512;
    drive.rotational = read_number(d / "queue/rotational").value_or(0) != 0;
    node.drives.push_back(drive);
  }
}

}  // namespace

void probe_devices(Node& node) {
  probe_pci(node);
  probe_nics(node);
  probe_rdma(node);
  probe_drives(node);
}

}  // namespace acceptance
