#pragma once
#include <string>

#include "reports/run_files.h"

namespace acceptance {

/// What changed from one run to another ("accept.comparison/1", docs/comparison.schema.json):
/// figures by place, what no longer works, what could not be compared and why, and how the
/// inventory changed on the places that moved. Throws std::invalid_argument when the runs can't be
/// compared at all: one of them is simulated, or no place, test and point is in both.
Json make_comparison(const RunFiles& before, const RunFiles& after);

/// REGRESSED, INCOMPLETE or NO REGRESSION as an exit status: 1, 2, 0.
int comparison_status(const Json& comparison);

/// Formats by name: "json", "md", "html". Throws std::invalid_argument, with a suggestion, for
/// another.
std::string write_comparison(const Json& comparison, const std::string& format);

/// What moved or was lost, the worst first, as plain sentences.
std::vector<std::string> moved_sentences(const Json& comparison);
/// One sentence that says what the verdict means.
std::string comparison_sentence(const Json& comparison);

}  // namespace acceptance
