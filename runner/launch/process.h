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

}  // namespace acceptance
