// Passes on fault signals that a handler of Lockstep does not handle. The compiler and the launch
// each install a handler in front of the program's handler (and of each other's).
#pragma once

#include <csignal>

namespace lockstep {

// Does what `previous`, the action that was installed before ours, would have done. For use in a
// signal handler; returns if that action returns.
void hand_on_signal(const struct sigaction &previous, int signal, siginfo_t *info, void *context);

} // namespace lockstep
