#include "runner/launch/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

namespace acceptance {
namespace {

/// Two ends of a connection: ours, and a bare socket that can send anything.
struct Ends {
  int raw;
  Connection ours;
};
Ends connected() {
  int s[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
  return {s[0], Connection(Descriptor(s[1]))};
}
void put(int fd, const std::string& bytes) {
  ASSERT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

TEST(Connection, MessagesArriveWholeHoweverTheyAreCut) {
  Ends e = connected();
  const std::string bytes = frame({{"a", 1}}) + frame({{"b", std::string(3000, 'x')}});
  std::vector<Json> got;
  for (const char c : bytes) {
    put(e.raw, std::string(1, c));
    for (Json& m : e.ours.receive()) got.push_back(std::move(m));
  }
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].at("a"), 1);
  EXPECT_TRUE(e.ours.open());
  ::close(e.raw);
  EXPECT_TRUE(e.ours.receive().empty());
  EXPECT_FALSE(e.ours.open());
}

TEST(Connection, AStrangerIsNotListenedToForLong) {
  Ends e = connected();
  put(e.raw, "GET / HTTP/1.1\r\n\r\n");  // read as a length of half a gigabyte
  EXPECT_TRUE(e.ours.receive().empty());
  EXPECT_FALSE(e.ours.open());
  EXPECT_NE(e.ours.broken(), "");
  ::close(e.raw);
}

TEST(Connection, RandomBytesNeverPassAndNeverCrash) {
  std::mt19937 random(17);
  for (int i = 0; i < 500; ++i) {
    Ends e = connected();
    std::string bytes(random() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (i % 2 && bytes.size() >= 4)
      bytes.replace(0, 4, std::string("\x08\0\0\0", 4));  // a credible length
    put(e.raw, bytes);
    for (const Json& m : e.ours.receive()) EXPECT_FALSE(m.contains("hello"));
    ::close(e.raw);
  }
}

TEST(Connection, ALargeMessageGoesThroughOnceThePeerIsTrusted) {
  std::uint16_t port = 0;
  const Descriptor listener = listen_on("127.0.0.1", port);
  Connection out = Connection::to("127.0.0.1", port);
  Connection in{Descriptor(::accept(listener.get(), nullptr, nullptr))};
  in.allow(64 << 20);
  out.send({{"blob", std::string(5 << 20, 'y')}});
  std::vector<Json> got;
  while (got.empty()) {
    out.write_some();
    got = in.receive();
  }
  EXPECT_EQ(got[0].at("blob").get<std::string>().size(), 5u << 20);
}

TEST(Connection, TokensDiffer) {
  EXPECT_EQ(random_token().size(), 32u);
  EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace acceptance
