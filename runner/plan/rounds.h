#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace acceptance {

/// Disjoint pairs, lower index first, that can be measured at the same time.
using Round = std::vector<std::pair<std::size_t, std::size_t>>;

/// Rounds in which everyone meets everyone once (circle method): n-1 rounds for an even number of
/// participants, n for an odd one.
std::vector<Round> pair_rounds(std::size_t count);

/// Rounds that are planned for nodes on these leaves ("" = not known): all up to 64 nodes. Beyond
/// that some, always the same for the same leaves: with two leaves or more, half of them within
/// leaves and half across, else of nodes in a random order, so that everyone meets as many others.
inline constexpr std::size_t most_meeting_all = 64;
inline constexpr std::size_t rounds_beyond = 8;
std::vector<Round> planned_rounds(const std::vector<std::string>& leaves);

}  // namespace acceptance
