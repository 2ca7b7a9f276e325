#pragma once
#include <filesystem>

#include "reports/compare/comparison.h"

namespace acceptance {

/// Compares two run folders, writes comparison.json, .md and .html into `folder` (empty = none),
/// prints what moved, and returns the exit status.
int print_comparison(const std::filesystem::path& before, const std::filesystem::path& after,
                     const std::filesystem::path& folder, bool quiet);

}  // namespace acceptance
