#pragma once
#include <string>

namespace acceptance {

/// "0.1.0".
std::string version();
/// Identifies the very code: version and revision of the sources. Head and workers must agree.
std::string build_id();

}  // namespace acceptance
