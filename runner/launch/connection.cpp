#include "runner/launch/connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace acceptance {
namespace {

constexpr std::size_t header = 4;
constexpr std::size_t trusted_longest = 64 << 20;
constexpr int connect_milliseconds = 10'000;
constexpr unsigned unconfirmed_milliseconds = 20'000;

sockaddr_in address_of(const std::string& address, std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &a.sin_addr) != 1)
    throw std::system_error(EINVAL, std::generic_category(), "no IPv4 address: " + address);
  return a;
}

[[noreturn]] void fail(const char* what, const std::string& address, std::uint16_t port) {
  throw std::system_error(errno, std::generic_category(),
                          fmt::format("{} {}:{}", what, address, port));
}

}  // namespace

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Connection::Connection(Descriptor socket) : socket_(std::move(socket)) {
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

Connection Connection::to(const std::string& address, std::uint16_t port) {
  Descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_in a = address_of(address, port);
  if (s.get() < 0) fail("connect to the head at", address, port);
  if (::connect(s.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) {
    if (errno != EINPROGRESS) fail("can't connect back to the head at", address, port);
    pollfd p{s.get(), POLLOUT, 0};
    int error = ::poll(&p, 1, connect_milliseconds) > 0 ? 0 : ETIMEDOUT;
    socklen_t length = sizeof error;
    if (error == 0) ::getsockopt(s.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    errno = error;
    if (error != 0) fail("can't connect back to the head at", address, port);
  }
  // A head whose machine is gone sends no end of file; what it doesn't confirm tells as much.
  ::setsockopt(s.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &unconfirmed_milliseconds,
               sizeof unconfirmed_milliseconds);
  Connection c(std::move(s));
  c.allow(trusted_longest);
  return c;
}

void Connection::send(const Json& message) {
  if (!open()) return;
  out_ += frame(message);
  write_some();
}

void Connection::say_last(const Json& message) {
  send(message);
  if (open()) ::shutdown(socket_.get(), SHUT_WR);
}

void Connection::write_some() {
  while (open() && !out_.empty()) {
    const ssize_t n = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      if (errno != EAGAIN) out_.clear();  // the reading side will see the end
      return;
    }
    out_.erase(0, static_cast<std::size_t>(n));
  }
}

bool Connection::flush() {
  while (open() && !out_.empty()) {
    pollfd p{socket_.get(), POLLOUT, 0};
    if (::poll(&p, 1, 10'000) <= 0 || (p.revents & (POLLERR | POLLHUP))) return false;
    write_some();
  }
  return open();
}

std::vector<Json> Connection::receive() {
  std::array<char, 65536> chunk{};
  bool ended = false;
  while (open() && !ended) {
    const ssize_t n = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0)
      ended = true;
    else
      in_.append(chunk.data(), static_cast<std::size_t>(n));
    if (in_.size() > longest_ + header + chunk.size()) break;
  }
  std::vector<Json> messages;
  std::size_t at = 0;
  while (in_.size() - at >= header) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < header; ++i)
      length |= static_cast<std::size_t>(static_cast<unsigned char>(in_[at + i])) << (8 * i);
    if (length > longest_) {
      broken_ =
          fmt::format("a message of {} bytes where at most {} are expected", length, longest_);
      break;
    }
    if (in_.size() - at - header < length) break;
    Json message =
        Json::parse(in_.data() + at + header, in_.data() + at + header + length, nullptr, false);
    if (message.is_discarded()) {
      broken_ = "bytes that are no message";
      break;
    }
    messages.push_back(std::move(message));
    at += header + length;
  }
  in_.erase(0, at);
  if (ended || !broken_.empty()) close();
  return messages;
}

std::string frame(const Json& message) {
  const std::string body = dump(message);
  std::string bytes(header, '\0');
  for (std::size_t i = 0; i < header; ++i)
    bytes[i] = static_cast<char>(body.size() >> (8 * i) & 0xff);
  return bytes + body;
}

Descriptor listen_on(const std::string& address, std::uint16_t& port) {
  Descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in a = address_of(address, 0);
  socklen_t length = sizeof a;
  if (s.get() < 0 || ::bind(s.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) != 0 ||
      ::listen(s.get(), 4096) != 0 ||
      ::getsockname(s.get(), reinterpret_cast<sockaddr*>(&a), &length) != 0)
    fail("listen on", address, 0);
  port = ntohs(a.sin_port);
  return s;
}

std::string random_token() {
  std::array<unsigned char, 16> bits{};
  if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size()))
    throw std::system_error(errno, std::generic_category(), "getrandom");
  std::string text;
  for (unsigned char b : bits) text += fmt::format("{:02x}", b);
  return text;
}

}  // namespace acceptance
