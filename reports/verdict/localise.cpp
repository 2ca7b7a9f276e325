#include "reports/verdict/localise.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace acceptance {
namespace {

using Kind = Localised::Kind;
constexpr std::size_t most_asked_per_node = 2;
constexpr std::size_t many_parts = 32;  // all of them bad: a matter of all
constexpr std::size_t some_parts = 8;   // the same, where they are pairs
constexpr std::size_t most_without_good = 8;
constexpr int most_looks = 5;  // at one node, with as many partners

Members pair(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }

Members joined(const Members& a, const Members& b) {
  Members all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

Members sorted(Members m) {
  std::sort(m.begin(), m.end());
  return m;
}

class Halving {
 public:
  Halving(std::size_t nodes, std::span<const std::string> leaves, std::span<const Answer> answers)
      : leaves_(leaves), is_good_(nodes, false), bad_times_(nodes, 0), asked_(answers.size()) {
    for (const Answer& a : answers) {
      answers_[a.members].push_back(a.bad);
      for (const std::size_t m : a.members) {
        if (!a.bad && a.members.size() > 1) is_good_[m] = true;
        if (a.bad) ++bad_times_[m];
      }
    }
    Members all(nodes);
    std::iota(all.begin(), all.end(), std::size_t{0});
    cut(all);
    if (!ask_.empty()) return;
    // Who turned out bad was no good partner: whoever was blamed for being bad with it needs
    // others.
    for (const Localised& l : found_)
      if (l.kind == Kind::nodes)
        for (const std::size_t bad : l.here) is_good_[bad] = false;
    found_.clear();
    cut(all);
  }

  Search take() {
    std::sort(ask_.begin(), ask_.end());
    ask_.erase(std::unique(ask_.begin(), ask_.end()), ask_.end());
    if (asked_ + ask_.size() >
        most_asked_per_node * is_good_.size() + most_without_good * most_without_good)
      ask_.clear();
    return {std::move(ask_), std::move(found_)};
  }

 private:
  enum class State { open, good, bad, unclear, explained };

  /// Whether the n-th try was bad; asks where it was not tried.
  std::optional<bool> bad(const Members& m, std::size_t n = 0) {
    const auto it = answers_.find(m);
    const std::size_t had = it == answers_.end() ? 0 : it->second.size();
    if (n < had) return it->second[n];
    ask_.push_back(m);
    return std::nullopt;
  }

  /// Where there are leaves, whole ones stay together as far as the halves stay alike.
  std::pair<Members, Members> halves(const Members& m) const {
    std::size_t at = m.size() / 2;
    if (!leaves_.empty())
      for (std::size_t off = 0; off <= m.size() / 4; ++off) {
        const auto edge = [&](std::size_t i) {
          return i > 0 && i < m.size() && leaves_[m[i - 1]] != leaves_[m[i]];
        };
        const std::size_t middle = m.size() / 2;
        if (!edge(middle - off) && !edge(middle + off)) continue;
        at = edge(middle - off) ? middle - off : middle + off;
        break;
      }
    const auto middle = m.begin() + static_cast<std::ptrdiff_t>(at);
    return {{m.begin(), middle}, {middle, m.end()}};
  }

  /// Nodes that were good elsewhere, those first that were in the fewest bad sets; from `start` on,
  /// so that not every suspect gets the same partner.
  std::vector<std::size_t> partners(const Members& not_these, std::size_t start) const {
    std::vector<std::size_t> out;
    const std::size_t n = is_good_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t p = (start + i) % n;
      if (is_good_[p] && !std::binary_search(not_these.begin(), not_these.end(), p))
        out.push_back(p);
    }
    std::stable_sort(out.begin(), out.end(),
                     [&](auto a, auto b) { return bad_times_[a] < bad_times_[b]; });
    return out;
  }

  /// One node of a set that was bad, by what it was like with good partners; its fellow in a pair
  /// is none, as long as there are others.
  State single(std::size_t node, const Members& whole) {
    const Members fellows = whole.size() == 2 ? whole : Members{node};
    Members bad_with, good_with, untried;
    const auto look = [&](std::size_t p) {
      const auto it = answers_.find(pair(node, p));
      (it == answers_.end() ? untried : it->second[0] ? bad_with : good_with).push_back(p);
    };
    for (const std::size_t p : partners(fellows, node)) look(p);
    // The pair was bad: that speaks against one of the two only, for the other more is needed.
    const bool pair_speaks = std::none_of(fellows.begin(), fellows.end(), [&](const std::size_t f) {
      return f != node && bad_with_others(f, node);
    });
    const std::size_t needed = good_with.empty() && pair_speaks ? 2 : 4;
    const auto is_bad = [&] { return bad_with.size() >= needed; };
    if (bad_with.empty() && !good_with.empty()) return State::good;
    if (is_bad()) return State::bad;
    if (bad_with.size() + good_with.size() >= most_looks) return State::unclear;
    if (!untried.empty()) {
      if (bad_with.size() + 1 == needed) nearly_.push_back(node);
      ask_.push_back(pair(node, untried[0]));
      return State::open;
    }
    if (good_with.empty())
      for (const std::size_t p : fellows)
        if (p != node && is_good_[p]) look(p);
    if (is_bad()) return State::bad;
    if (!bad_with.empty() && !good_with.empty()) return only_with(node, bad_with);
    without_good_.push_back(node);
    return State::open;
  }

  bool bad_with_others(std::size_t node, std::size_t fellow) const {
    for (std::size_t p = 0; p < is_good_.size(); ++p)
      if (const auto it = answers_.find(pair(node, p));
          p != fellow && p != node && is_good_[p] && it != answers_.end() && it->second[0])
        return true;
    return false;
  }

  /// A node that is good with some, and there are no more to ask.
  State only_with(std::size_t node, const Members& bad_with) {
    bool known = true, all = true;
    for (const std::size_t p : bad_with)
      if (const auto again = bad(pair(node, p), 1); !again)
        known = false;
      else
        all = all && *again;
    if (!known) return State::open;
    if (!all) return State::unclear;
    found_.push_back({Kind::between, {node}, sorted(bad_with)});
    return State::explained;
  }

  State state(const Members& part, const Members& whole) {
    if (part.size() == 1) return single(part[0], whole);
    const auto is = bad(part);
    return !is ? State::open : *is ? State::bad : State::good;
  }

  /// Level by level through the parts of a set that was bad.
  void cut(const Members& all) {
    if (const auto is = bad(all); !is || !*is) return;
    const std::size_t asked_before = ask_.size();
    nearly_.clear();
    without_good_.clear();
    Members convicted, unclear;
    std::vector<Members> level{all};
    while (!level.empty()) {
      std::vector<Members> below;
      std::size_t parts = 0, largest = 0;
      for (const Members& whole : level) {
        if (whole.size() < 2) continue;
        const auto [a, b] = halves(whole);
        const State sa = state(a, whole), sb = state(b, whole);
        parts += 2;
        largest = std::max({largest, a.size(), b.size()});
        for (const auto& [part, s] : {std::pair{&a, sa}, std::pair{&b, sb}}) {
          if (s == State::bad && part->size() == 1) convicted.push_back((*part)[0]);
          if (s == State::bad && part->size() > 1) below.push_back(*part);
          if (s == State::unclear) unclear.push_back((*part)[0]);
        }
        if (sa == State::good && sb == State::good) between(a, b);
      }
      if (below.size() == parts && parts >= (largest > 2 ? many_parts : some_parts)) {
        found_.push_back({Kind::everywhere, all, {}});
        return;
      }
      level = std::move(below);
    }
    if (ask_.empty() && !without_good_.empty()) pairs_without_good();
    for (const std::size_t u : unclear) found_.push_back({Kind::unsteady, {u}, {}});
    if (!convicted.empty()) found_.push_back({Kind::nodes, sorted(convicted), {}});
    // The rest without them, at the same time as the last look at each.
    if (ask_.size() > asked_before + nearly_.size()) return;
    convicted.insert(convicted.end(), nearly_.begin(), nearly_.end());
    if (convicted.empty()) return;
    Members rest;
    const Members out = sorted(convicted);
    std::set_difference(all.begin(), all.end(), out.begin(), out.end(), std::back_inserter(rest));
    if (rest.size() > 1) cut(rest);
  }

  /// Two sets that are good alone, and bad together: which part of the one with which of the other.
  void between(const Members& a, const Members& b) {
    std::vector<std::pair<Members, Members>> combinations;
    const auto one_leaf = [&](const Members& m) {
      return leaves_.empty() || leaves_[m.front()] == leaves_[m.back()];
    };
    const bool leaves_left = !one_leaf(a) || !one_leaf(b);
    const auto parts = [&](const Members& m) {
      if (m.size() == 1 || (leaves_left && one_leaf(m))) return std::vector<Members>{m};
      auto [first, second] = halves(m);
      return std::vector<Members>{std::move(first), std::move(second)};
    };
    for (const Members& x : parts(a))
      for (const Members& y : parts(b)) combinations.emplace_back(x, y);
    if (combinations.size() == 1) return block(a, b);
    std::vector<std::pair<Members, Members>> bad_ones;
    bool open = false;
    for (const auto& [x, y] : combinations)
      if (const auto is = bad(joined(x, y)); !is)
        open = true;
      else if (*is)
        bad_ones.emplace_back(x, y);
    if (open) return;
    if (bad_ones.empty()) {
      const Members both = joined(a, b);
      if (const auto again = bad(both, 1))
        found_.push_back({*again ? Kind::together : Kind::unsteady, both, {}});
    } else if (bad_ones.size() == combinations.size()) {
      block(a, b);
    } else {
      for (const auto& [x, y] : bad_ones) between(x, y);
    }
  }

  /// Whatever of a with whatever of b: tried again, and each of them with others.
  void block(const Members& a, const Members& b) {
    const Members both = joined(a, b);
    const auto again = bad(both, 1);
    std::array<State, 2> with_others{};
    const std::array<const Members*, 2> sides{&a, &b};
    for (int i = 0; i < 2; ++i) {
      Members others = elsewhere(*sides[i], both);
      if (others.empty()) {
        with_others[i] = State::unclear;
      } else if (const auto is = bad(joined(*sides[i], others))) {
        with_others[i] = *is ? State::bad : State::good;
      }
    }
    if (!again || with_others[0] == State::open || with_others[1] == State::open) return;
    const bool one = (with_others[0] == State::bad) != (with_others[1] == State::bad);
    const Members& guilty = with_others[0] == State::bad ? a : b;
    if (!*again) {
      found_.push_back({Kind::unsteady, both, {}});
    } else if (one && guilty.size() == 1) {
      // It was good with somebody before, or its set would not have been.
      const State is = single(guilty[0], both);
      if (is != State::open && is != State::explained)
        found_.push_back({is == State::bad ? Kind::nodes : Kind::unsteady, guilty, {}});
    } else {
      found_.push_back({Kind::between, one ? guilty : a, one ? Members{} : b});
    }
  }

  /// As many good nodes as `side` has, not of its leaves and not of `both`; those that it was
  /// already tried with, if it was.
  Members elsewhere(const Members& side, const Members& both) const {
    for (const auto& [members, is] : answers_) {
      if (members.size() <= side.size() || members.size() > 2 * side.size()) continue;
      Members others;
      std::set_difference(members.begin(), members.end(), side.begin(), side.end(),
                          std::back_inserter(others));
      if (others.size() + side.size() == members.size() &&
          std::all_of(others.begin(), others.end(), [&](const std::size_t m) {
            return is_good_[m] && !std::binary_search(both.begin(), both.end(), m);
          }))
        return others;
    }
    std::set<std::string> near;
    if (!leaves_.empty() && side.size() > 1)
      for (const std::size_t m : side) near.insert(leaves_[m]);
    Members out;
    for (const std::size_t p : partners(both, side.back() + 1))
      if (out.size() < side.size() && (near.empty() || !near.contains(leaves_[p])))
        out.push_back(p);
    return sorted(std::move(out));
  }

  /// No node was ever good: perhaps two of the suspects are good with each other.
  void pairs_without_good() {
    const Members who = sorted(without_good_);
    bool known = true;
    if (who.size() <= most_without_good)
      for (std::size_t i = 0; i < who.size(); ++i)
        for (std::size_t j = i + 1; j < who.size(); ++j) known &= bad({who[i], who[j]}).has_value();
    if (known) found_.push_back({Kind::one_of, who, {}});
  }

  std::span<const std::string> leaves_;
  std::vector<bool> is_good_;
  std::vector<int> bad_times_;
  std::size_t asked_;
  std::map<Members, std::vector<bool>> answers_;
  std::vector<std::size_t> without_good_, nearly_;
  std::vector<Members> ask_;
  std::vector<Localised> found_;
};

}  // namespace

Search localise(std::size_t nodes, std::span<const std::string> leaves,
                std::span<const Answer> answers) {
  return Halving(nodes, leaves, answers).take();
}

}  // namespace acceptance
