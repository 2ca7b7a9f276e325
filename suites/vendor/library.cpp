#include "suites/vendor/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "suites/core/state.h"

namespace acceptance {

Library::Library(const std::string& file, bool global)
    : file_(file), handle_(::dlopen(file.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL))) {
  if (!handle_) throw Skip(::dlerror());
}

// Libraries with threads of their own do not survive being unloaded, so they stay until the process
// ends.
Library::~Library() = default;

void* Library::symbol(const char* name) const {
  void* address = ::dlsym(handle_, name);
  if (!address) throw Skip(fmt::format("{} has no {}: {}", file_, name, ::dlerror()));
  return address;
}

}  // namespace acceptance
