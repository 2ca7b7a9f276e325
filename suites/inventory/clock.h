#pragma once
#include <optional>

namespace acceptance {

/// The core's clock in Hz as it is now, whatever the system reports: a chain of dependent
/// multiplications takes exactly three cycles each on every x86-64 core since 2008; the best of
/// many short bursts is kept, so that interruptions don't count. About 3 ms. Nothing on other
/// machines.
std::optional<double> measure_clock();

}  // namespace acceptance
