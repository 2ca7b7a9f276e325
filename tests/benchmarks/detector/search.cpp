// Narrowing a bad collective down.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>

#include "reports/verdict/localise.h"
#include "tests/benchmarks/detector/detector.h"

namespace {

using namespace acceptance;
using Random = std::mt19937_64;

struct Sick {
  std::size_t nodes = 32, bad = 1;
  bool link = false;           // two good nodes that are bad together, instead of bad nodes
  double shows = 1, lies = 0;  // how often what is bad is seen, and what is good taken for bad
};

struct Searched {
  std::size_t launches = 0, rounds = 0;
  bool all_named = false, wrong = false;
};

Searched search(const Sick& s, Random& random) {
  std::set<std::size_t> bad;
  while (bad.size() < (s.link ? 2 : s.bad))
    bad.insert(std::uniform_int_distribution<std::size_t>(0, s.nodes - 1)(random));
  const auto is_bad = [&](const Members& m) {
    std::size_t in = 0;
    for (const std::size_t b : bad) in += std::binary_search(m.begin(), m.end(), b);
    const bool truth = s.link ? in == 2 : in > 0;
    return std::bernoulli_distribution(truth ? s.shows : s.lies)(random);
  };
  Members all(s.nodes);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<Answer> answers{{all, true}};
  Searched out;
  for (;;) {
    const Search now = localise(s.nodes, {}, answers);
    if (now.ask.empty()) {
      std::set<std::size_t> named;
      bool link = false;
      for (const Localised& l : now.found) {
        if (l.kind == Localised::Kind::nodes) named.insert(l.here.begin(), l.here.end());
        if (l.kind == Localised::Kind::between && l.here.size() == 1 && l.there.size() == 1)
          link = bad == std::set{l.here[0], l.there[0]};
      }
      out.all_named =
          s.link ? link : std::includes(named.begin(), named.end(), bad.begin(), bad.end());
      for (const std::size_t n : named) out.wrong = out.wrong || s.link || !bad.contains(n);
      return out;
    }
    ++out.rounds;
    for (const Members& m : now.ask) {
      ++out.launches;
      answers.push_back({m, is_bad(m)});
    }
  }
}

void row(const std::string& what, const Sick& s, int clusters) {
  std::size_t launches = 0, rounds = 0;
  int named = 0, wrong = 0;
  for (int c = 0; c < clusters; ++c) {
    Random random(static_cast<std::uint64_t>(c) * 6151 + 5);
    const Searched o = search(s, random);
    launches += o.launches, rounds += o.rounds;
    named += o.all_named, wrong += o.wrong;
  }
  const double n = clusters;
  fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} % | {} |\n", what, s.nodes, clusters,
             static_cast<double>(launches) / n, static_cast<double>(rounds) / n, 100 * named / n,
             wrong);
  std::fflush(stdout);
}

}  // namespace

void write_search(int clusters) {
  fmt::print(
      "## Narrowing a bad collective down\n\nLaunches of smaller collectives and rounds of them, "
      "means; confirmation "
      "and a last try without those blamed are counted. Flaky: what is bad shows nine times of "
      "ten, and "
      "one of a hundred good collectives is taken for bad.\n\n| cluster | nodes | clusters made | "
      "launches | rounds | all "
      "named | a healthy node blamed |\n|---|---|---|---|---|---|---|\n");
  row("1 bad", {.nodes = 8}, clusters);
  row("1 bad", {.nodes = 32}, clusters);
  row("2 bad", {.nodes = 32, .bad = 2}, clusters);
  row("1 bad", {.nodes = 1024}, clusters);
  row("5 bad", {.nodes = 1024, .bad = 5}, clusters);
  row("two good nodes, bad together", {.nodes = 32, .link = true}, clusters);
  row("two good nodes, bad together", {.nodes = 1024, .link = true}, clusters);
  for (const std::size_t bad : {1u, 2u})
    row(fmt::format("{} bad, flaky", bad), {.nodes = 32, .bad = bad, .shows = 0.9, .lies = 0.01},
        5 * clusters);
  row("5 bad, flaky", {.nodes = 1024, .bad = 5, .shows = 0.9, .lies = 0.01}, clusters);
  fmt::print("\n");
}
