// Reads environment variables. docs/environment.md lists them.
//
// A program that runs with more privileges than its caller (set-user-ID, file capabilities) must
// not trust its caller's variables: all of them count as unset here (secure_getenv). scripts/check
// rejects getenv() elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep {

// The value of LOCKSTEP_<name>, if it is set and not empty.
std::optional<std::string> environment(const char *name);

// LOCKSTEP_<name> as a number; reports other values on stderr and ignores them.
std::optional<long long> environment_number(const char *name);

// A variable that is not Lockstep's own (HOME, TMPDIR), if it is set and not empty.
std::optional<std::string> system_variable(const char *name);

// Such a variable as a number; unset if it is not one. Does not allocate memory.
std::optional<uint64_t> system_number(const char *name);

} // namespace lockstep
