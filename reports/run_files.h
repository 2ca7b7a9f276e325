#pragma once
#include <filesystem>
#include <istream>
#include <limits>
#include <string>
#include <vector>

#include "reports/cluster/promise.h"
#include "suites/core/json.h"

namespace acceptance {

/// A run folder, read.
struct RunFiles {
  std::filesystem::path folder;
  Json run;                      ///< run.json: arguments, versions, definitions of the tests
  std::vector<Test> tests;       ///< the definitions
  std::vector<Node> nodes;       ///< nodes.json
  std::vector<Assignment> plan;  ///< plan.jsonl
  std::vector<Record> records;   ///< records.jsonl, a torn last line left out
  Promise promise;               ///< cluster.yaml and catalogue/, where the run has them
};

/// Throws std::invalid_argument naming file and line when the folder is none that a run left.
/// A topology or a catalogue that is named takes the place of the run's own.
RunFiles read_run(const std::filesystem::path& folder, const std::filesystem::path& topology = {},
                  const std::filesystem::path& catalogue = {});

/// Bytes of records.jsonl up to the end of its last whole line; what is after that was torn by a
/// crash.
std::uintmax_t whole_bytes(const std::filesystem::path& records);

/// All of a file. Throws std::invalid_argument naming it when it can't be read, or is larger.
std::string read_file(const std::filesystem::path& file,
                      std::size_t most_bytes = std::numeric_limits<std::size_t>::max());
/// What a person writes is no larger, even where a name leads to something endless.
inline constexpr std::size_t most_written_bytes = std::size_t{16} << 20;
/// Replaces the file in one step (a temporary beside it, then rename). Throws std::system_error
/// naming it.
void write_file(const std::filesystem::path& file, const std::string& text);
/// "sha256:…" of a file's bytes; empty when it can't be read.
std::string digest(const std::filesystem::path& file);
std::string digest(std::istream& bytes);

}  // namespace acceptance
