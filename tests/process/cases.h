// Things that a program does as the last of its life, or in a child of fork(). Each ends the process; exit code 0 or what
// the case says: all was as expected.
#pragma once

#include <string>

namespace lockstep::test {

[[noreturn]] void do_exit_case(const std::string &name);
[[noreturn]] void do_fork_case(const std::string &name);
bool is_exit_case(const std::string &name);

} // namespace lockstep::test
