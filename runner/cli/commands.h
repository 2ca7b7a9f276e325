#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace acceptance {

/// What the chosen subcommand does; returns the exit status. Errors are thrown and told by main.
using Action = std::function<int()>;

/// Adds a subcommand with its options; when it is chosen, `action` is set. One file each.
void add_run(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_probe(CLI::App& app, Action& action);
void add_measure(CLI::App& app, Action& action);
void add_judge(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_expect(CLI::App& app, Action& action);
void add_init(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_worker(CLI::App& app, Action& action);

/// Exit status for a command that could not be understood or whose input is unusable.
inline constexpr int usage_error = 64;

}  // namespace acceptance
