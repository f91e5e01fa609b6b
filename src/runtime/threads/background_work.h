// A thread for work that no caller waits for: to compile code that makes later launches faster.
//
// The thread runs one piece of work after the other. Compilations have their own stack and are
// waited for by exit() and fork() (platform/linux/foreign_call.h), so it needs no end of its own.
#pragma once

#include "runtime/threads/callback_thread.h"

#include <memory>

namespace lockstep::runtime {

// Destroys `work` undone if the system cannot start the thread.
void do_in_background(std::unique_ptr<LaterCall> work);

} // namespace lockstep::runtime
