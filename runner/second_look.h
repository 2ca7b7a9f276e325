#pragma once
#include <vector>

#include "reports/run_files.h"

namespace acceptance {

/// What to measure again, in processes of their own, before nodes or ways between them are called
/// bad: each suspect's own measurements; for ways between nodes up to three pairs, with partners it
/// was not yet measured with where there are any. Nothing where this was done before.
std::vector<Assignment> second_looks(const RunFiles& files);

/// Smaller collectives that tell which nodes or ways made a collective bad (localise.h): those to
/// be measured next, as far as they aren't planned. Nothing when there is no more to be told.
std::vector<Assignment> smaller_collectives(const RunFiles& files);

/// What is measured on because its interval has the floor in it (continued.h).
std::vector<Assignment> continuations(const RunFiles& files);

}  // namespace acceptance
