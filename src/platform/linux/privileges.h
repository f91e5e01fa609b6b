// Detects a process that has privileges which the user who started it does not have.
#pragma once

#include <string>

namespace lockstep {

// The reason why the process must not load code that its caller may have prepared; empty: it has
// the privileges of one user. Evaluated on each call, because a process can change its user and
// group.
std::string privilege_problem();

} // namespace lockstep
