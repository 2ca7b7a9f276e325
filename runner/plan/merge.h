#pragma once
#include <map>

#include "suites/core/record.h"

namespace acceptance {

/// One record out of what the ranks of an assignment sent, by rank within the assignment. Rank 0
/// holds the samples; the worst outcome of any rank is everybody's, with its reason, and names its
/// place where only one rank saw it.
Record merge(const Assignment& assignment, std::map<int, Record> pieces);

}  // namespace acceptance
