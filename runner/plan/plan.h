#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "suites/core/cluster.h"
#include "suites/core/node.h"
#include "suites/core/record.h"
#include "suites/core/test.h"

namespace acceptance {

/// What the user asked for.
struct Request {
  Profile profile = Profile::standard;
  std::vector<std::string> suites;  ///< empty = all
  std::vector<std::string> tests;   ///< names or globs; empty = all
  std::map<std::string, std::string>
      fixed;           ///< parameter → value as typed; for a measurement by hand
  bool once = false;   ///< leave out second measurements of the same thing
  int repeat = 1;      ///< how often all of it is measured, each time in new processes
  std::string run;     ///< tag of the run
  std::string target;  ///< folder for storage tests
};

/// Tests that the request names. Throws std::invalid_argument, with a suggestion, for a suite, a
/// test or a glob that matches nothing.
std::vector<const Test*> select(std::span<const Test> all, const Request& request);

/// Every choice of a test's parameters in the request's profile; `fixed` parameters have that one
/// value. Throws std::invalid_argument when a fixed value has the wrong dimension or isn't one of
/// the words.
std::vector<Point> points(const Test& test, const Request& request);

/// Node per rank of the world that pair and cluster tests run in: every node once; two ranks on a
/// single node.
std::vector<std::string> world_places(const std::vector<Node>& nodes);

/// Everything that is to be measured, in order: node scope first, then pairs by rounds, then the
/// cluster. The promised leaves, where there are any, tell which pairs of a large cluster to take.
std::vector<Assignment> make_plan(std::span<const Test* const> tests,
                                  const std::vector<Node>& nodes, const Request& request,
                                  const Cluster* promised = nullptr);

/// The next repetition of a plan, as long as there is one to come; its attempts go on counting.
std::vector<Assignment> next_repetition(std::span<const Test* const> tests,
                                        const std::vector<Assignment>& plan,
                                        const Request& request);

}  // namespace acceptance
