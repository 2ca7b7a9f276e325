#include "runner/plan/trouble.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace acceptance {

Trouble trouble_in(const std::string& words, Trouble otherwise) {
  // In this order: "ssh: connect to host n1 port 22: Connection refused" is a refusal, although it
  // speaks of connecting.
  constexpr std::array<std::pair<const char*, Trouble>, 24> signs{{
      {"another build", Trouble::other_build},
      {"connect back to the head", Trouble::unreachable},
      {"permission denied (", Trouble::ssh_refused},
      {"connection refused", Trouble::ssh_refused},
      {"host key verification failed", Trouble::ssh_refused},
      {"too many authentication failures", Trouble::ssh_refused},
      {"kex_exchange_identification", Trouble::ssh_refused},
      {"connection timed out", Trouble::unreachable},
      {"no route to host", Trouble::unreachable},
      {"network is unreachable", Trouble::unreachable},
      {"could not resolve hostname", Trouble::unreachable},
      {"communication connection failure", Trouble::unreachable},
      {"required node not available", Trouble::unreachable},
      {"nodes required for job are down", Trouble::unreachable},
      {"no space left on device", Trouble::disk_full},
      {"disk quota exceeded", Trouble::disk_full},
      {"bad_alloc", Trouble::out_of_memory},
      {"cannot allocate memory", Trouble::out_of_memory},
      {"oom-kill", Trouble::out_of_memory},
      {"oom_kill", Trouble::out_of_memory},
      {"execve()", Trouble::no_command},  // srun; a shell says it by its exit status
      {"execvp error", Trouble::no_command},
      {"could not access or execute", Trouble::no_command},
      {"could not find an executable", Trouble::no_command},
  }};
  std::string lower = words;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [sign, trouble] : signs)
    if (lower.find(sign) != std::string::npos) return trouble;
  return otherwise;
}

}  // namespace acceptance
