#pragma once
#include <CLI/CLI.hpp>
#include <memory>

#include "runner/session.h"

namespace acceptance {

/// The options that say what is measured, shared by `run` and `plan`.
void add_selection(CLI::App& command, SessionOptions& options);
/// The words this process was started with.
std::vector<std::string> command_line();
/// The words this process was started with.
std::vector<std::string> command_line();
/// "accept-20260131-093000" in the current folder.
std::filesystem::path default_output();

}  // namespace acceptance
