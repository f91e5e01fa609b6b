// The destructors that LLVM and clang register with exit() while they run.
//
// A function registers the destructor of its static object when it creates the object. exit() calls
// handlers in reverse order, so it calls such a destructor before handlers that were registered
// earlier. Any thread may call exit() while another thread is in the function that created the
// object. Then no handler of ours runs early enough to wait for that function.
//
// take_over_late_destructors() therefore replaces the import of __cxa_atexit in these libraries. The
// replacement keeps the destructors in a list, and run_late_destructors() calls them.
#pragma once

namespace lockstep {

// Requires: the libraries are loaded. Objects that they created while they were loaded remain
// registered with exit().
void take_over_late_destructors();

// Calls the destructors, the newest first. Later ones are registered with exit() again.
void run_late_destructors();

} // namespace lockstep
