#include "runner/launch/network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "runner/launch/connection.h"

namespace acceptance {
namespace {

std::string text(in_addr address) {
  char words[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address, words, sizeof words);
  return words;
}

ControlNetwork network_of(in_addr address) {
  ControlNetwork found{text(address), "", ""};
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return found;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(list, ::freeifaddrs);
  for (const ifaddrs* i = list; i; i = i->ifa_next) {
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !i->ifa_netmask) continue;
    sockaddr_in own{}, mask{};
    std::memcpy(&own, i->ifa_addr, sizeof own);
    std::memcpy(&mask, i->ifa_netmask, sizeof mask);
    if (own.sin_addr.s_addr != address.s_addr) continue;
    found.subnet = fmt::format("{}/{}", text({own.sin_addr.s_addr & mask.sin_addr.s_addr}),
                               std::popcount(mask.sin_addr.s_addr));
    found.interface = i->ifa_name;
  }
  return found;
}

}  // namespace

ControlNetwork network_towards(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), "9", &hints, &found); error != 0)
    throw std::invalid_argument(fmt::format("unknown host '{}': {}", host, ::gai_strerror(error)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  // Connecting a datagram socket only looks the route up.
  const Descriptor probe(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  socklen_t length = sizeof own;
  if (::connect(probe.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&own), &length) != 0)
    throw std::invalid_argument(
        fmt::format("no route to {}: {}", host, std::generic_category().message(errno)));
  return network_of(own.sin_addr);
}

ControlNetwork network_of(const std::string& address) {
  in_addr a{};
  if (::inet_pton(AF_INET, address.c_str(), &a) != 1)
    throw std::invalid_argument(fmt::format("'{}' is no IPv4 address", address));
  return network_of(a);
}

ControlNetwork network_of_socket(int fd) {
  sockaddr_in own{};
  socklen_t length = sizeof own;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) != 0) return {};
  return network_of(own.sin_addr);
}

}  // namespace acceptance
