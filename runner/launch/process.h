#pragma once
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace acceptance {

/// A program and its arguments; never a line for a shell.
struct Command {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;  ///< added to ours
  std::string input = {};                          ///< what it finds on its standard input
};

/// How a process ended.
struct Ending {
  bool by_signal = false;
  int number = 0;  ///< exit status or signal
};
/// "exited with status 3", "was killed by signal 11 (Segmentation fault)".
std::string to_text(const Ending& ending);

/// A child process in a process group of its own. The only place that starts processes.
class Process {
 public:
  /// Its standard output and error are appended to `log`, its input is the command's.
  /// Throws std::system_error naming the program when it can't be started.
  Process(const Command& command, const std::filesystem::path& log);
  /// Kills the whole group if it still runs, and waits for it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  /// Readable once the process has ended; for poll(). Closed by this object.
  int ended_fd() const { return ended_; }
  /// Nothing while it runs. Never blocks.
  std::optional<Ending> ending();
  /// It can't be killed: the destructor is not to wait for it.
  void give_up() { given_up_ = true; }
  /// Sends a signal to the whole group.
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
  int ended_ = -1;
  std::optional<Ending> ending_;
  bool given_up_ = false;
};

/// What a command that ends by itself said.
struct Answer {
  std::optional<Ending> ending;  ///< nothing: it did not end in time, and was killed
  std::string output;            ///< standard output and error
  bool ok() const { return ending && !ending->by_signal && ending->number == 0; }
  /// Its words in one line, or else how it ended; for a reason.
  std::string said() const;
};

/// Runs commands to their end, `at_once` side by side, each for at most `seconds`. Answers come in
/// the commands' order. Throws std::system_error when one can't be started.
std::vector<Answer> ask_all(const std::vector<Command>& commands, std::size_t at_once,
                            double seconds);
/// The same for one; a program that isn't there is an answer too: exit status 127 and the system's
/// words.
Answer ask(const Command& command, double seconds);

/// Runs a command in this process's own group and on its terminal, and waits for it: its exit
/// status, or 128 + the signal that ended it. Throws std::system_error when it can't be started.
int follow(const Command& command);

/// From now on the end of this process's parent ends it too (SIGTERM).
void end_with_parent();

/// This process becomes another program; returns only by throwing std::system_error.
[[noreturn]] void become(const Command& command);

}  // namespace acceptance
