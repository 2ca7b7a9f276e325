#pragma once
#include <string>

#include "suites/core/record.h"

namespace acceptance {

/// The kind of trouble that the words of ssh, srun, a shell, or the system speak of; `otherwise`
/// where they speak of none that is known.
Trouble trouble_in(const std::string& words, Trouble otherwise);

}  // namespace acceptance
