#include "runner/launch/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <list>
#include <memory>
#include <system_error>

#include "runner/launch/connection.h"

extern char** environ;

namespace acceptance {
namespace {

/// The pieces of posix_spawn that have to be destroyed.
struct Spawn {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
  Spawn() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e;
    if (!added.contains(entry.substr(0, entry.find('=')))) all.push_back(entry);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::string all_of(int file) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (off_t at = 0;;) {
    const ssize_t n = ::pread(file, chunk.data(), chunk.size(), at);
    if (n <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
    at += n;
  }
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> p;
  for (std::string& w : words) p.push_back(w.data());
  p.push_back(nullptr);
  return p;
}

}  // namespace

std::string to_text(const Ending& e) {
  return e.by_signal ? fmt::format("was killed by signal {} ({})", e.number, ::strsignal(e.number))
                     : fmt::format("exited with status {}", e.number);
}

Process::Process(const Command& command, const std::filesystem::path& log) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> variables = environment_with(command.environment);
  Spawn spawn;
  const Descriptor input(::memfd_create("input", MFD_CLOEXEC));
  if (input.get() < 0 ||
      ::write(input.get(), command.input.data(), command.input.size()) !=
          static_cast<ssize_t>(command.input.size()) ||
      ::lseek(input.get(), 0, SEEK_SET) != 0)
    throw std::system_error(errno, std::generic_category(), "memfd_create");
  ::posix_spawn_file_actions_adddup2(&spawn.files, input.get(), 0);
  ::posix_spawn_file_actions_addopen(&spawn.files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0644);
  ::posix_spawn_file_actions_adddup2(&spawn.files, 1, 2);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&spawn.attributes, &none);
  ::posix_spawnattr_setsigdefault(&spawn.attributes, &all);
  ::posix_spawnattr_setpgroup(&spawn.attributes, 0);
  ::posix_spawnattr_setflags(
      &spawn.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawnp(&pid_, words.at(0).c_str(), &spawn.files, &spawn.attributes,
                                   pointers(words).data(), pointers(variables).data());
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
  ended_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (ended_ >= 0) ::fcntl(ended_, F_SETFD, FD_CLOEXEC);
}

Process::~Process() {
  if (!ending()) {
    signal(SIGKILL);
    while (!given_up_ && ::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (ended_ >= 0) ::close(ended_);
}

std::optional<Ending> Process::ending() {
  if (ending_) return ending_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  // Whatever the process left behind in its group goes with it.
  ::kill(-pid_, SIGKILL);
  ending_ =
      WIFSIGNALED(status) ? Ending{true, WTERMSIG(status)} : Ending{false, WEXITSTATUS(status)};
  return ending_;
}

void Process::signal(int number) const {
  if (!ending_) ::kill(-pid_, number);
}

std::string Answer::said() const {
  if (!ending) return "did not end in time";
  constexpr std::size_t enough = 300;
  std::string text = output.substr(0, enough);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? to_text(*ending) : text;
}

std::vector<Answer> ask_all(const std::vector<Command>& commands, std::size_t at_once,
                            double seconds) {
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::size_t index;
    Descriptor output;
    std::unique_ptr<Process> process;
    Clock::time_point begin = Clock::now();
  };
  std::vector<Answer> answers(commands.size());
  std::list<Running> running;
  for (std::size_t next = 0; next < commands.size() || !running.empty();) {
    while (next < commands.size() && running.size() < at_once) {
      Descriptor output(::memfd_create("output", MFD_CLOEXEC));
      const auto file = fmt::format("/proc/{}/fd/{}", ::getpid(), output.get());
      auto process = std::make_unique<Process>(commands[next], file);
      running.push_back({next++, std::move(output), std::move(process)});
    }
    std::vector<pollfd> ends;
    for (const Running& r : running) ends.push_back({r.process->ended_fd(), POLLIN, 0});
    constexpr int turn_milliseconds = 200;
    ::poll(ends.data(), ends.size(), turn_milliseconds);
    std::erase_if(running, [&](Running& r) {
      const auto ending = r.process->ending();
      const bool late = Clock::now() > r.begin + std::chrono::duration<double>(seconds);
      if (!ending && !late) return false;
      answers[r.index] = {ending, all_of(r.output.get())};
      return true;
    });
  }
  return answers;
}

Answer ask(const Command& command, double seconds) {
  try {
    return ask_all({command}, 1, seconds).at(0);
  } catch (const std::system_error& e) {
    constexpr int not_found = 127;
    return {Ending{false, not_found}, e.what()};
  }
}

int follow(const Command& command) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> variables = environment_with(command.environment);
  pid_t id = -1;
  const int error = ::posix_spawnp(&id, words.at(0).c_str(), nullptr, nullptr,
                                   pointers(words).data(), pointers(variables).data());
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
  ::signal(SIGINT, SIG_IGN);  // the terminal sends it to both; the command knows what to do
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int by_signal = 128;
  return WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
}

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGTERM); }

void become(const Command& command) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> variables = environment_with(command.environment);
  ::execvpe(words.at(0).c_str(), pointers(words).data(), pointers(variables).data());
  throw std::system_error(errno, std::generic_category(), words[0]);
}

}  // namespace acceptance
