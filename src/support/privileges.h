// Does this process have rights that the user who started it does not have?
#pragma once

#include <string>

namespace lockstep {

// Why the process must not load code that its caller could have prepared; empty: it has the rights of
// one user. Asked again each time, because a process can change its user and group.
std::string privilege_problem();

} // namespace lockstep
