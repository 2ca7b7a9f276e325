# Writes OUTPUT with the version and the sources' revision; touches it only when they changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
  set(revision unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[#include "runner/version.h"

#include "reports/run_files.h"

namespace acceptance {
std::string version() { return "@VERSION@"; }
std::string build_id() {
  // The revision alone does not tell two builds of changed sources apart; the program's own bytes do.
  constexpr std::size_t after_name = 7, digits = 12;
  static const std::string own = digest("/proc/self/exe").substr(after_name, digits);
  return "@VERSION@-@revision@-" + own;
}
}  // namespace acceptance
]] @ONLY)
