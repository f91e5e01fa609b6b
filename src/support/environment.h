// Environment variables that begin with LOCKSTEP_, read in one place. docs/environment.md lists
// them.
#pragma once

#include <optional>
#include <string>

namespace lockstep {

// The value of LOCKSTEP_<name>, if it is set and not empty.
std::optional<std::string> environment(const char *name);

// LOCKSTEP_<name> as a number; values that are no number are reported once on stderr and ignored.
std::optional<long long> environment_number(const char *name);

} // namespace lockstep
