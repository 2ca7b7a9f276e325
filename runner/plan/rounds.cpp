#include "runner/plan/rounds.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace acceptance {
namespace {

using Members = std::vector<std::size_t>;

/// std::shuffle may differ between libraries; a plan may not.
template <class Values>
void shuffle(Values& values, std::mt19937& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

/// At most `most` rounds of these members, spread over all that there are.
std::vector<Round> some_rounds(const Members& members, std::size_t most) {
  auto all = pair_rounds(members.size());
  const std::size_t count = std::min(most, all.size());
  std::vector<Round> some;
  for (std::size_t r = 0; r < count; ++r) {
    Round& round = some.emplace_back(std::move(all[r * all.size() / count]));
    for (auto& [a, b] : round) {
      const auto [low, high] = std::minmax(members[a], members[b]);
      a = low;
      b = high;
    }
  }
  return some;
}

/// The leaves in one random order, cut in the middle: each node of one half meets one of the other.
/// Only a leaf that lies across the cut can meet itself.
Round across(std::vector<Members> leaves, std::mt19937& random) {
  shuffle(leaves, random);
  Members order;
  for (Members& leaf : leaves) {
    shuffle(leaf, random);
    order.insert(order.end(), leaf.begin(), leaf.end());
  }
  Round round;
  const std::size_t half = order.size() / 2;
  for (std::size_t i = 0; i < half; ++i)
    round.push_back(std::minmax(order[i], order[i + (order.size() - half)]));
  return round;
}

}  // namespace

std::vector<Round> pair_rounds(std::size_t count) {
  std::vector<Round> rounds;
  if (count < 2) return rounds;
  const std::size_t n = count + count % 2;  // with an odd count, whoever meets number n-1 rests
  const auto seat = [n](std::size_t i, std::size_t round) {
    return i == 0 ? 0 : 1 + (i - 1 + round) % (n - 1);
  };
  for (std::size_t r = 0; r + 1 < n; ++r) {
    Round& pairs = rounds.emplace_back();
    for (std::size_t i = 0; i < n / 2; ++i) {
      const std::size_t a = seat(i, r), b = seat(n - 1 - i, r);
      if (a < count && b < count) pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
  }
  return rounds;
}

std::vector<Round> planned_rounds(const std::vector<std::string>& leaves) {
  const std::size_t count = leaves.size();
  if (count <= most_meeting_all) return pair_rounds(count);
  std::mt19937 random(1);  // the same plan for the same nodes, always
  std::map<std::string, Members> by_name;
  for (std::size_t i = 0; i < count; ++i) by_name[leaves[i]].push_back(i);
  std::vector<Members> by_leaf;
  for (auto& [name, members] : by_name) {
    shuffle(members, random);
    by_leaf.push_back(std::move(members));
  }
  if (by_leaf.size() == 1) return some_rounds(by_leaf[0], rounds_beyond);

  std::vector<Round> rounds(rounds_beyond / 2);
  for (const Members& leaf : by_leaf) {
    const auto within = some_rounds(leaf, rounds.size());
    for (std::size_t r = 0; r < within.size(); ++r)
      rounds[r].insert(rounds[r].end(), within[r].begin(), within[r].end());
  }
  std::erase_if(rounds, [](const Round& r) { return r.empty(); });  // leaves of one node each
  std::set<std::pair<std::size_t, std::size_t>> met;
  for (const Round& r : rounds) met.insert(r.begin(), r.end());
  while (rounds.size() < rounds_beyond) {
    Round round = across(by_leaf, random);
    std::erase_if(round, [&](const auto& pair) { return !met.insert(pair).second; });
    rounds.push_back(std::move(round));
  }
  return rounds;
}

}  // namespace acceptance
