// Cleanup when the process ends by exit(), quick_exit() or the return of main(). _exit() does not
// run it.
//
// Other threads continue meanwhile. exit() may be called anywhere: by a callback, by a thread of
// Lockstep, or by a signal handler that interrupted one. Cleanup therefore never waits without a
// limit, and never waits for its own thread.
#pragma once

#include <mutex>

namespace lockstep {

// Calls `function` when the process ends. A function that is registered repeatedly is called once.
// A child of fork() calls it, too.
void at_end_of_process(void (*function)());

// Locks the mutex. Returns without the lock after one second: this thread may already hold it.
std::unique_lock<std::mutex> lock_at_end(std::mutex &mutex);

} // namespace lockstep
