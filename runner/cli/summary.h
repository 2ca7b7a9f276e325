#pragma once
#include <filesystem>

#include "suites/core/json.h"

namespace acceptance {

/// Prints the verdict, what wants attention and where the passport lies. `quiet`: the verdict
/// alone. Returns the exit status of the verdict.
int print_summary(const Json& passport, const std::filesystem::path& folder, bool quiet);

}  // namespace acceptance
