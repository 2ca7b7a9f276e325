#pragma once
#include "reports/run_files.h"

namespace acceptance {

/// Judges a run and puts the passport together ("accept.passport/1", docs/passport.schema.json).
/// `judged_by` is the build that judges; `rejudged` that it is not the end of the run itself.
Json make_passport(const RunFiles& files, const std::string& judged_by, bool rejudged);

/// Writers: from passport.json to bytes, nothing else. One file each.
std::string write_markdown(const Json& passport);
std::string write_html(const Json& passport);

/// Formats by name: "json", "md", "html". Throws std::invalid_argument, with a suggestion, for
/// another.
std::string write_passport(const Json& passport, const std::string& format);

}  // namespace acceptance
