// What the library does when the process ends by exit(), quick_exit() or the return of main(); _exit() does nothing.
//
// Other threads go on meanwhile, and exit() may be called anywhere: by a callback, by one of our own threads, by a
// signal handler that has interrupted one. So nothing here waits without a limit, and nothing waits for its own thread.
#pragma once

#include <mutex>

namespace lockstep {

// Calls `function` when the process ends, once however often it was given. A child of fork() calls it, too.
void at_end_of_process(void (*function)());

// The lock, unless the mutex is not to be had within a second: perhaps this thread holds it.
std::unique_lock<std::mutex> lock_at_end(std::mutex &mutex);

} // namespace lockstep
