#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "runner/session.h"

namespace acceptance {

/// What is standard output: a terminal with its width, colours wanted or not.
struct Screen {
  bool terminal = false;
  bool colour = false;
  int width = 80;
  static Screen now();  ///< asked afresh, so that a resized window is seen
};

/// Shows a run as it goes: on a terminal a few lines redrawn in place, elsewhere one line per
/// finished assignment.
class Progress final : public Watcher {
 public:
  explicit Progress(bool quiet) : quiet_(quiet) {}
  ~Progress() override { erase(); }
  void planned(const std::vector<Assignment>& left, std::size_t total) override;
  void started(const Assignment& assignment) override;
  void recorded(const Record& record) override;
  void noticed(const std::string& line) override;
  void tick() override;
  /// Takes the live lines away.
  void erase();

 private:
  struct Running {
    std::string what;
    std::chrono::steady_clock::time_point since;
  };
  void draw();
  std::vector<std::string> lines() const;
  std::string time_left() const;

  bool quiet_;
  std::size_t total_ = 0, done_ = 0;
  double seconds_planned_ = 0, seconds_done_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::map<std::string, Running> running_;
  std::string worst_;
  int worst_rank_ = 0;
  std::vector<std::size_t> drawn_;  // lengths of the lines on the screen
};

}  // namespace acceptance
