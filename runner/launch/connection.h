#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suites/core/json.h"

namespace acceptance {

/// A file descriptor that is closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  void reset();

 private:
  int fd_;
};

/// Messages over one TCP connection between head and worker: four bytes of length (little endian),
/// then JSON.
class Connection {
 public:
  explicit Connection(Descriptor socket);
  /// Throws std::system_error naming the address.
  static Connection to(const std::string& address, std::uint16_t port);

  int fd() const { return socket_.get(); }
  bool open() const { return socket_.get() >= 0; }
  void close() { socket_.reset(); }
  /// Says a last thing. What is still coming in is not read; closing with it unread could lose the
  /// words on their way.
  void say_last(const Json& message);

  /// Queues a message and sends what goes out without waiting. A lost peer shows up as the end of
  /// input.
  void send(const Json& message);
  /// Sends what is queued, waiting until it is out. False when the peer is gone.
  bool flush();
  bool wants_to_write() const { return !out_.empty(); }
  void write_some();

  /// Reads what there is, without waiting, and returns the whole messages. Closes itself at the end
  /// of input, and on anything that is no message: `broken` then says what.
  std::vector<Json> receive();
  const std::string& broken() const { return broken_; }
  /// Longest message accepted; small until the peer has shown its token.
  void allow(std::size_t bytes) { longest_ = bytes; }

 private:
  Descriptor socket_;
  std::string in_, out_;
  std::string broken_;
  std::size_t longest_ = 4096;
};

/// The bytes of one message.
std::string frame(const Json& message);

/// Listens on a free port of `address`. Throws std::system_error.
Descriptor listen_on(const std::string& address, std::uint16_t& port);

/// 128 random bits in hexadecimal.
std::string random_token();

}  // namespace acceptance
