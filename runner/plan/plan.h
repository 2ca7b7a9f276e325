#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

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

/// Rounds of disjoint pairs in which everyone meets everyone once (circle method): n-1 rounds for
/// an even number of participants, n for an odd one. Indices into the participants.
std::vector<std::vector<std::pair<std::size_t, std::size_t>>> pair_rounds(std::size_t count);

/// Rounds that are planned: all of them up to 64 participants; beyond that some, of participants
/// in a random order that is always the same, so that everyone meets the same number of others
/// chosen at random.
inline constexpr std::size_t most_meeting_all = 64;
inline constexpr std::size_t rounds_beyond = 8;
std::vector<std::vector<std::pair<std::size_t, std::size_t>>> planned_rounds(std::size_t count);

/// Node per rank of the world that pair and cluster tests run in: every node once; two ranks on a
/// single node.
std::vector<std::string> world_places(const std::vector<Node>& nodes);

/// Everything that is to be measured, in order: node scope first, then pairs by rounds, then the
/// cluster.
std::vector<Assignment> make_plan(std::span<const Test* const> tests,
                                  const std::vector<Node>& nodes, const Request& request);

}  // namespace acceptance
