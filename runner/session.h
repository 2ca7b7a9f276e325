#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/run_files.h"
#include "runner/plan/plan.h"

namespace acceptance {

/// How a run is asked for.
struct SessionOptions {
  std::string nodes =
      "all";  ///< "all" (this machine), "local:N", or a node set ("n[01-16]", "@hostfile") over ssh
  std::string exclude;     ///< node set to leave out; empty = none
  std::string ssh_config;  ///< file for ssh -F; empty = the user's own
  Request request;
  std::filesystem::path output;  ///< must be absent or empty
  std::filesystem::path target;  ///< storage tests; empty = a folder under the output
  std::filesystem::path
      resume;  ///< run folder to go on with; the other options are then those of that run
  std::vector<std::string> arguments;  ///< the command line, for the passport
};

/// Told what happens, to show it.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void planned(const std::vector<Assignment>& left, std::size_t total) = 0;
  virtual void started(const Assignment& assignment) = 0;
  virtual void recorded(const Record& record) = 0;
  virtual void tick() = 0;
};

struct SessionResult {
  std::filesystem::path folder;
  bool stopped = false;  ///< by a signal; the run can be resumed
  Json passport;         ///< null when stopped
};

/// The nodes of a run.
struct NodeChoice {
  std::vector<std::string> names;
  bool local = true;  ///< all of them are this machine; else they are reached by ssh
};
/// What a node set stands for. Throws std::invalid_argument when it can't be understood.
NodeChoice choose_nodes(const std::string& set, const std::string& exclude);

/// Probes, plans, measures, records, judges and writes the passport. Throws std::invalid_argument
/// for bad options, before anything is started or written; std::system_error when the run folder
/// can't be written.
SessionResult run_session(SessionOptions options, Watcher& watcher);

/// Judges a run folder and writes passport.json, .md and .html into it.
Json judge_and_write(const std::filesystem::path& folder, bool rejudged);

}  // namespace acceptance
