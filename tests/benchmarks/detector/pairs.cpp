// Blame from pairs: made-up fabrics with one fault or two.
#include "reports/verdict/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/benchmarks/detector/detector.h"

namespace {

using namespace acceptance;
using Random = std::mt19937_64;
using Level = PairFault::Level;

/// A fabric of leaves and rails with 3 % noise and a fifth of its cells missing.
struct Fabric {
  std::size_t nodes = 32, rails = 4, on_a_leaf = 8;
  bool directed = false;
};

/// A fault: its name as blame_pairs gives it, and whom it slows.
struct Fault {
  std::string name;
  std::function<bool(std::size_t, std::size_t, std::size_t)> slows;
};

std::string leaf_name(std::size_t leaf) { return fmt::format("leaf{}", leaf); }

Fault draw(const std::string& kind, const Fabric& f, Random& random) {
  const auto any = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::size_t a = any(f.nodes), r = any(f.rails), l = any(f.nodes / f.on_a_leaf),
                    size = f.on_a_leaf;
  std::size_t b = any(f.nodes - 1), m = any(f.nodes / f.on_a_leaf - 1);
  b += b >= a, m += m >= l;
  if (kind == "node")
    return {fmt::format("node n{}", a), [=](auto x, auto y, auto) { return x == a || y == a; }};
  if (kind == "NIC")
    return {fmt::format("port n{} rail {}", a, r),
            [=](auto x, auto y, auto rail) { return (x == a || y == a) && rail == r; }};
  if (kind == "direction")
    return {fmt::format("direction n{} rail {} sends", a, r),
            [=](auto x, auto, auto rail) { return x == a && rail == r; }};
  if (kind == "rail")
    return {fmt::format("rail {}", r), [=](auto, auto, auto rail) { return rail == r; }};
  if (kind == "leaf")
    return {"leaf " + leaf_name(l),
            [=](auto x, auto y, auto) { return x / size == l || y / size == l; }};
  if (kind == "uplinks of a leaf")
    return {"leaf " + leaf_name(l),
            [=](auto x, auto y, auto) { return (x / size == l) != (y / size == l); }};
  if (kind == "two leaves")
    return {fmt::format("leaf pair {} {}", leaf_name(std::min(l, m)), leaf_name(std::max(l, m))),
            [=](auto x, auto y, auto) {
              return (x / size == l && y / size == m) || (x / size == m && y / size == l);
            }};
  return {fmt::format("link n{} n{} rail {}", std::min(a, b), std::max(a, b), r),
          [=](auto x, auto y, auto rail) {
            return rail == r && ((x == a && y == b) || (x == b && y == a));
          }};
}

/// `before`: the same cells, measured a second time.
PairMatrix measured(const Fabric& f, const std::vector<Fault>& faults, Random& random,
                    const PairMatrix* before = nullptr) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  PairMatrix m;
  m.rails = f.rails;
  m.directed = f.directed;
  for (std::size_t n = 0; n < f.nodes; ++n) {
    m.nodes.push_back(fmt::format("n{}", n));
    m.leaves.push_back(leaf_name(n / f.on_a_leaf));
  }
  for (std::size_t a = 0; a < f.nodes; ++a)
    for (std::size_t b = f.directed ? 0 : a + 1; b < f.nodes; ++b)
      for (std::size_t r = 0; r < f.rails; ++r) {
        if (a == b || (!before && uniform(random) < 0.2)) continue;
        double share = 1;
        for (const Fault& fault : faults)
          if (fault.slows(a, b, r)) share = 0.8;
        m.cells.push_back({a, b, r, 48e9 * share * (1 + 0.03 * normal(random))});
      }
  if (!before) return m;
  std::map<std::array<std::size_t, 3>, double> again;
  for (const PairCell& c : m.cells) again[{c.from, c.to, c.rail}] = c.figure;
  m.cells = before->cells;
  for (PairCell& c : m.cells) c.again = again.at({c.from, c.to, c.rail});
  return m;
}

/// A fault is measured somewhere, and not all of it is a part of another.
bool can_be_told(const PairMatrix& m, const std::vector<Fault>& faults) {
  for (const Fault& f : faults) {
    bool own = false;
    for (const PairCell& c : m.cells)
      own = own || (f.slows(c.from, c.to, c.rail) &&
                    std::none_of(faults.begin(), faults.end(), [&](const Fault& other) {
                      return other.name != f.name && other.slows(c.from, c.to, c.rail);
                    }));
    if (!own) return false;
  }
  return true;
}

std::string text(const PairFault& f) {
  const auto on_rail = fmt::format(" rail {}", f.rail);
  switch (f.level) {
    case Level::node: return "node " + f.culprits[0];
    case Level::port: return "port " + f.culprits[0] + on_rail;
    case Level::direction:
      return "direction " + f.culprits[0] + on_rail + (f.sends ? " sends" : " receives");
    case Level::rail: return fmt::format("rail {}", f.rail);
    case Level::leaf: return "leaf " + f.culprits[0];
    case Level::leaf_pair: return fmt::format("leaf pair {} {}", f.culprits[0], f.culprits[1]);
    case Level::link: return fmt::format("link {} {}{}", f.culprits[0], f.culprits[1], on_rail);
    case Level::mixed: break;
  }
  return "mixed";
}

void row(const std::vector<std::string>& kinds, Fabric f, int fabrics) {
  int suspected = 0, right = 0, more = 0;
  for (int i = 0; i < fabrics; ++i) {
    Random random(static_cast<std::uint64_t>(i) * 104729 + 3);
    for (const std::string& kind : kinds) f.directed = f.directed || kind == "direction";
    std::vector<Fault> faults;
    PairMatrix m;
    do {
      faults.clear();
      for (const std::string& kind : kinds) faults.push_back(draw(kind, f, random));
      m = measured(f, faults, random);
    } while (!can_be_told(m, faults));
    std::set<std::string> wanted, said;
    for (const Fault& fault : faults) wanted.insert(fault.name);
    suspected += !blame_pairs({&m, 1}).at(0).empty();
    const PairMatrix second = measured(f, faults, random, &m);
    const auto found = blame_pairs({&second, 1});
    for (const PairFault& fault : found.at(0))
      if (fault.level == Level::mixed || agrees(fault.off, fault.again, m.least))
        said.insert(text(fault));
    right += said == wanted;
    more +=
        std::any_of(said.begin(), said.end(), [&](const auto& s) { return !wanted.contains(s); });
  }
  fmt::print("| {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n",
             kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, " and ")), f.nodes,
             fabrics, 100.0 * suspected / fabrics, 100.0 * right / fabrics, 100.0 * more / fabrics);
  std::fflush(stdout);
}

}  // namespace

void write_pairs(int fabrics) {
  fmt::print(
      "## Blame from pairs\n\nLeaves of 8 nodes, 4 rails, 3 % noise, a fifth of the cells missing; "
      "what is faulty is 20 % slow. Suspected: something was, at first. After the second look: "
      "right, "
      "if exactly that fault was called bad, at that level, and nothing else; wrong, if something "
      "was "
      "that is well.\n\n| fault | nodes | fabrics made | suspected | right | wrong "
      "|\n|---|---|---|---|---|---|\n");
  for (const std::size_t nodes : {32u, 64u}) {
    row({}, {.nodes = nodes}, fabrics);
    for (const char* kind :
         {"NIC", "node", "direction", "link", "rail", "leaf", "uplinks of a leaf", "two leaves"})
      row({kind}, {.nodes = nodes}, fabrics);
    for (const auto& [a, b] : {std::pair{"NIC", "NIC"},
                               {"NIC", "link"},
                               {"NIC", "rail"},
                               {"node", "leaf"},
                               {"link", "link"},
                               {"rail", "leaf"}})
      row({a, b}, {.nodes = nodes}, fabrics);
  }
  fmt::print("\n");
}
