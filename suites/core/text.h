#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace acceptance {

/// True when `pattern`, in which * stands for any characters and ? for one, matches all of `text`.
bool glob(std::string_view pattern, std::string_view text);

/// The candidate fewest edits away from `word`, if it is near enough to be what was meant; else
/// empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean X?" or empty.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// The text with a blank for each control character (C1 too), mark that turns the direction of
/// writing, and byte that is no UTF-8: none of them may reach a terminal or a page.
std::string printable(std::string_view text);

/// Now, in UTC, to the second: "2026-01-31T09:30:00Z".
std::string utc_now();

}  // namespace acceptance
