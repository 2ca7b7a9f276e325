#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/run_files.h"
#include "runner/nodes.h"
#include "runner/plan/plan.h"

namespace acceptance {

/// How a run is asked for.
struct SessionOptions {
  NodeOptions where;
  Request request;
  std::filesystem::path output;  ///< must be absent or empty
  std::filesystem::path target;  ///< storage tests; empty = a folder under the output
  std::filesystem::path
      resume;  ///< run folder to go on with; the other options are then those of that run
  std::filesystem::path
      topology;  ///< cluster.yaml; empty = the one in the current folder, if there is one
  bool no_topology = false;            ///< no cluster.yaml, even if there is one
  std::filesystem::path baseline;      ///< run folder to compare with afterwards; empty = none
  std::filesystem::path catalogue;     ///< its files take the place of the program's; empty = none
  std::vector<std::string> arguments;  ///< the command line, for the passport
};

/// What a resumed run takes over from run.json.
Json request_of(const SessionOptions& options);
void take_request(const Json& request, SessionOptions& options);

/// Told what happens, to show it.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void planned(const std::vector<Assignment>& left, std::size_t total) = 0;
  virtual void started(const Assignment& assignment) = 0;
  virtual void recorded(const Record& record) = 0;
  virtual void noticed(const std::string& line) = 0;  ///< before anything is measured
  virtual void tick() = 0;
};

struct SessionResult {
  std::filesystem::path folder;
  bool stopped = false;  ///< by a signal; the run can be resumed
  Json passport;         ///< null when stopped
};

/// Checks the options as far as that needs no node. Throws std::invalid_argument.
void check_options(const SessionOptions& options);

/// Probes, plans, measures, records, judges and writes the passport. Throws std::invalid_argument
/// for bad options, before anything is started or written; std::system_error when the run folder
/// can't be written.
SessionResult run_session(SessionOptions options, Watcher& watcher);

/// What the run is to be held against. Throws std::invalid_argument with file, line and key.
Promise promise_of(const SessionOptions& options);

/// Asks the nodes what they are made of, and measures nothing. Of nodes that could not be asked,
/// the watcher is told.
std::vector<Node> probe_nodes(SessionOptions options, Watcher& watcher);

/// Judges a run folder and writes passport.json, .md and .html into it.
/// A topology or a catalogue that is named takes the place of the run's own.
Json judge_and_write(const std::filesystem::path& folder, bool rejudged,
                     const std::filesystem::path& topology = {},
                     const std::filesystem::path& catalogue = {});

}  // namespace acceptance
