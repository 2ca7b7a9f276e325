#pragma once
#include <filesystem>

#include "runner/launch/connection.h"
#include "suites/core/json.h"

namespace acceptance {

/// The folder of a run, being written. One process at a time.
class RunFolder {
 public:
  /// Makes the folder, or takes an empty one. Throws std::invalid_argument when it isn't empty or
  /// can't be made.
  static RunFolder create(const std::filesystem::path& folder);
  /// Goes on with a run that was left; a torn last record is cut off. Throws std::invalid_argument
  /// when it is no run folder, or another process works in it.
  static RunFolder reopen(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path logs() const { return folder_ / "logs"; }
  /// Replaces a file of the run ("run.json", "nodes.json").
  void write(const char* file, const Json& content) const;
  /// The same for "plan.jsonl": an assignment a line, so that a large plan is never one document.
  void write_lines(const char* file, const std::vector<Assignment>& plan) const;
  /// Appends a record and has it out of this process before returning. Throws std::system_error.
  void append(const Record& record);
  /// A line for logs/head.log.
  void note(const std::string& text) const;

 private:
  RunFolder(std::filesystem::path folder);
  std::filesystem::path folder_;
  Descriptor records_;
};

}  // namespace acceptance
