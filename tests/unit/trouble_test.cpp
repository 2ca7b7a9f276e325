#include "runner/plan/trouble.h"

#include <gtest/gtest.h>

namespace acceptance {
namespace {

TEST(TroubleIn, WhatTheProgramsReallySay) {
  const auto of = [](const char* words) { return trouble_in(words, Trouble::died); };
  EXPECT_EQ(of("ssh: connect to host h2 port 22: Connection refused"), Trouble::ssh_refused);
  EXPECT_EQ(of("root@h2: Permission denied (publickey)."), Trouble::ssh_refused);
  EXPECT_EQ(of("Host key verification failed."), Trouble::ssh_refused);
  EXPECT_EQ(of("ssh: connect to host h3 port 22: Connection timed out"), Trouble::unreachable);
  EXPECT_EQ(of("ssh: connect to host h3 port 22: No route to host"), Trouble::unreachable);
  EXPECT_EQ(of("ssh: Could not resolve hostname h9: Name or service not known"),
            Trouble::unreachable);
  EXPECT_EQ(of("accept: can't connect back to the head at 10.0.0.1:4711: Connection refused"),
            Trouble::unreachable);
  EXPECT_EQ(of("libibverbs: Warning: couldn't open config directory: No such file or directory"),
            Trouble::died)
      << "a library's warning";
  EXPECT_EQ(of("slurmstepd: error: execve(): /opt/accept: No such file or directory"),
            Trouble::no_command);
  EXPECT_EQ(of("slurmstepd: error: Detected 1 oom_kill event in StepId=3.0."),
            Trouble::out_of_memory);
  EXPECT_EQ(of("std::bad_alloc"), Trouble::out_of_memory);
  EXPECT_EQ(of("write /scratch/x: No space left on device"), Trouble::disk_full);
  EXPECT_EQ(of("another build answers: a there, b here"), Trouble::other_build);
  EXPECT_EQ(of("the process was killed by signal 11"), Trouble::died);
}

TEST(Troubles, EveryNameIsReadBack) {
  for (int i = 0; i <= static_cast<int>(Trouble::set_apart); ++i)
    EXPECT_EQ(trouble_named(name(static_cast<Trouble>(i))), static_cast<Trouble>(i));
  EXPECT_THROW(trouble_named("bad luck"), std::invalid_argument);
}

}  // namespace
}  // namespace acceptance
