// Cases that run at the end of a program's life or in a child of fork(). Each ends the process; the
// exit code is 0, or the code that the case expects.
#pragma once

#include <string>

namespace lockstep::test {

[[noreturn]] void do_exit_case(const std::string &name);
[[noreturn]] void do_fork_case(const std::string &name);
bool is_exit_case(const std::string &name);

} // namespace lockstep::test
