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
  write_fleets(clusters);
  write_pairs(clusters);
  write_search(clusters);
  write_compare(clusters);
  write_sequential(clusters);
}
