#pragma once
#include "reports/finding.h"

namespace acceptance {

struct Judgement {
  Verdict verdict = Verdict::measured;
  std::string reason;
  std::string remedy;
};

/// A figure against its reference, one-sided: impossible beyond the ceiling (inconclusive, never a
/// pass), pass when the whole interval is on the good side of the floor, fail when it is all on the
/// bad side, inconclusive between; measured without a floor.
Judgement judge_figure(const Measured& measured, const std::optional<Reference>& reference,
                       Better better);

/// What an outcome other than ok means for an item that was required, or not.
Verdict judge_outcome(Outcome outcome, bool required);

/// ACCEPTED, ACCEPTED WITH REMARKS, REJECTED or INCOMPLETE; no finding at all is INCOMPLETE.
std::string overall(const std::vector<Finding>& findings);

/// Exit status of a verdict: 0 accepted (with or without remarks), 1 rejected, 2 incomplete.
int exit_status(std::string_view overall_verdict);

}  // namespace acceptance
