#pragma once
#include <string>

#include "suites/core/json.h"

namespace acceptance {

/// Text from outside must not become Markdown's own signs or break a table.
std::string md(const std::string& text);
/// Text from outside is text, never markup.
std::string esc(const std::string& text);
std::string esc(const Json& text);

}  // namespace acceptance
