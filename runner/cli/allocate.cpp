#include "runner/cli/allocate.h"

#include <cstdlib>

#include "runner/cli/options.h"
#include "runner/launch/process.h"

namespace acceptance {

void allocate_if_needed(const SessionOptions& options) {
  if (!options.resume.empty()) return;
  const NodeChoice choice = choose_nodes(options.where, promise_of(options).promised());
  if (choice.engine != Engine::slurm || !choice.slurm.job.empty()) return;
  check_options(options);
  std::vector<std::string> own = command_line();
  own[0] = std::filesystem::read_symlink("/proc/self/exe").string();
  become({salloc_words(choice.to_allocate, own), {{"ACCEPT_ALLOCATION", "1"}}});
}

std::optional<int> supervise_if_needed() {
  constexpr const char* mark = "ACCEPT_SUPERVISED";
  if (!std::getenv("ACCEPT_ALLOCATION")) return std::nullopt;
  if (std::getenv(mark)) {
    end_with_parent();
    return std::nullopt;
  }
  std::vector<std::string> own = command_line();
  own[0] = std::filesystem::read_symlink("/proc/self/exe").string();
  return follow({own, {{mark, "1"}}});
}

}  // namespace acceptance
