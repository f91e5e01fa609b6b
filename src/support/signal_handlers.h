// What our handlers of fault signals do with a signal that is not theirs. The compiler and the
// launch each put one in front of the program's (and of each other's).
#pragma once

#include <csignal>

namespace lockstep {

// Does what `previous`, the action that was in place before ours, would have done. For use in a
// signal handler; it returns where that action does.
void hand_on_signal(const struct sigaction &previous, int signal, siginfo_t *info, void *context);

} // namespace lockstep
