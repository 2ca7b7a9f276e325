// detector [CLUSTERS]: writes docs/detector-accuracy.md to standard output; detector speed: how
// long judging a large run takes.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "tests/benchmarks/detector/detector.h"

int main(int count, char** arguments) {
  const std::string word = count > 1 ? arguments[1] : "200";
  if (word == "speed") {
    write_speed();
    return 0;
  }
  const int clusters = std::atoi(word.c_str());
  fmt::print(
      "# How often the judge is wrong\n\n"
      "Made-up clusters, whose faults are known, judged by what judges real ones. The generators "
      "share "
      "no code with it. Written by `detector {0}` (build it with `./quickstart`; {0} clusters a "
      "row, "
      "fewer of large ones, always the same ones); a shorter one runs with the benchmarks "
      "(`ctest -L benchmark`).\n\n",
      clusters);
  const std::string part = count > 2 ? arguments[2] : "";  // one alone, to look at it
  const std::pair<const char*, void (*)(int)> parts[]{{"fleets", write_fleets},
                                                      {"pairs", write_pairs},
                                                      {"search", write_search},
                                                      {"compare", write_compare},
                                                      {"sequential", write_sequential}};
  for (const auto& [name, write] : parts)
    if (part.empty() || part == name) write(clusters);
  fmt::print(
      "## What these tables don't say\n\n"
      "- Of two nodes, or two leaves, nobody can be told which one is slow; of four, only what is "
      "far off.\n"
      "- Made-up noise is kinder than the real one: it knows no contention, no routes, no heat.\n"
      "- A link that was not measured is not found: a fault is made where at least one cell is its "
      "own.\n"
      "- A fault that shows half of the time, in a cluster where several do, can lead the "
      "narrowing down astray: "
      "with 3 such nodes of 8 and 3 % of good collectives taken for bad, 3 of 1,200 searches "
      "blamed a healthy node.\n"
      "- A place that was found low is measured again before it fails (docs/passport.md); the "
      "first table "
      "shows the first look alone.\n");
}
