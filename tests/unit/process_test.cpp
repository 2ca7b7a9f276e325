#include "runner/launch/process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <fstream>
#include <sstream>
#include <system_error>

namespace acceptance {
namespace {
namespace fs = std::filesystem;

struct Log {
  fs::path path = fs::temp_directory_path() / "accept-process-test.log";
  Log() { fs::remove(path); }
  ~Log() { fs::remove(path); }
  std::string text() const {
    std::stringstream s;
    s << std::ifstream(path).rdbuf();
    return s.str();
  }
};

Ending wait_for(Process& p) {
  pollfd fd{p.ended_fd(), POLLIN, 0};
  ::poll(&fd, 1, 10'000);
  return p.ending().value_or(Ending{false, -1});
}

TEST(Process, WordsAreWordsWhateverIsInThem) {
  const Log log;
  Process p({{"echo", "a  b", "$HOME; rm -rf /", "`id`"}, {}}, log.path);
  EXPECT_EQ(wait_for(p).number, 0);
  EXPECT_EQ(log.text(), "a  b $HOME; rm -rf / `id`\n");
}

TEST(Process, TellsHowItEnded) {
  const Log log;
  Process status({{"sh", "-c", "exit 3"}, {}}, log.path);
  EXPECT_EQ(to_text(wait_for(status)), "exited with status 3");
  Process killed({{"sleep", "100"}, {}}, log.path);
  EXPECT_FALSE(killed.ending());
  killed.signal(SIGKILL);
  EXPECT_EQ(to_text(wait_for(killed)), "was killed by signal 9 (Killed)");
}

TEST(Process, EnvironmentIsAddedAndReplaces) {
  const Log log;
  ::setenv("ACCEPT_UNIT", "old", 1);
  Process p({{"sh", "-c", "echo $ACCEPT_UNIT $ACCEPT_OTHER"},
             {{"ACCEPT_UNIT", "new"}, {"ACCEPT_OTHER", "2"}}},
            log.path);
  wait_for(p);
  EXPECT_EQ(log.text(), "new 2\n");
}

TEST(Process, AMissingProgramIsNamed) {
  const Log log;
  try {
    Process p({{"no-such-program-anywhere"}, {}}, log.path);
    FAIL();
  } catch (const std::system_error& e) {
    EXPECT_STREQ(e.what(), "no-such-program-anywhere: No such file or directory");
  }
}

TEST(Process, NothingOutlivesItsGroup) {
  const Log log;
  pid_t group = 0;
  {
    Process p({{"sh", "-c", "sleep 100 & wait"}, {}}, log.path);
    group = p.id();
  }
  for (int i = 0; i < 100 && ::kill(-group, 0) == 0; ++i) ::poll(nullptr, 0, 20);
  EXPECT_NE(::kill(-group, 0), 0);
}

}  // namespace
}  // namespace acceptance
