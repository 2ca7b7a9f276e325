# Writes OUTPUT with the version and the sources' revision; touches it only when they changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
  set(revision unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[#include "runner/version.h"

namespace acceptance {
std::string version() { return "@VERSION@"; }
std::string build_id() { return "@VERSION@-@revision@"; }
}  // namespace acceptance
]] @ONLY)
