#pragma once

namespace acceptance {

/// Reads "NAME=VALUE" lines with the contact from standard input into the environment; plain ssh
/// passes none on.
void take_contact_from_input();

/// The process a launch starts on a node: connects to the head named by its environment, does what
/// it is ordered, one assignment at a time, and leaves when told to or when the head is gone.
/// Returns its exit status.
int work();

}  // namespace acceptance
