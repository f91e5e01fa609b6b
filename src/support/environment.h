// The environment, read in one place. docs/environment.md lists the variables.
//
// A program that runs with more rights than its caller (set-user-ID, file capabilities) must not
// follow its caller's variables: here they all count as unset (secure_getenv). scripts/check refuses
// getenv() elsewhere.
#pragma once

#include <optional>
#include <string>

namespace lockstep {

// The value of LOCKSTEP_<name>, if it is set and not empty.
std::optional<std::string> environment(const char *name);

// LOCKSTEP_<name> as a number; other values are reported on stderr and ignored.
std::optional<long long> environment_number(const char *name);

// A variable that is not Lockstep's own (HOME, TMPDIR), if it is set and not empty.
std::optional<std::string> system_variable(const char *name);

} // namespace lockstep
