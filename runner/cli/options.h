#pragma once
#include <CLI/CLI.hpp>
#include <memory>

#include "runner/session.h"

namespace acceptance {

/// The options that say which nodes, and how they are reached; shared by `run`, `plan` and `init`.
void add_node_selection(CLI::App& command, SessionOptions& options);
/// These, and what is measured and held against what; shared by `run` and `plan`.
void add_selection(CLI::App& command, SessionOptions& options);
/// The words this process was started with.
std::vector<std::string> command_line();
/// "accept-20260131-093000" in the current folder.
std::filesystem::path default_output();

}  // namespace acceptance
