// Starts a thread of the library: it lives as long as the process, is never joined, and receives
// none of the program's signals.
//
// The system may refuse a thread (RLIMIT_NPROC, pids.max of a cgroup, no memory for the stack). The
// caller gets an error, where std::thread throws. The call that creates an object therefore also
// starts the threads that the object needs: once a command is enqueued, it is too late to report an
// error.
#pragma once

#include "support/result.h"

#include <cstddef>

namespace lockstep::runtime {

struct ThreadToStart {
  const char *purpose; // completes "no thread ... can be started"
  void *(*function)(void *);
  void *data;
  void *stack = nullptr;       // null: the system maps one
  std::size_t stack_bytes = 0; // 0: the system's default
};

// ErrorKind::out_of_resources. Throws nothing but std::bad_alloc, when it makes the error message.
Result<void> start_thread(const ThreadToStart &thread);

// From now on, sleeps of the calling thread end within microseconds of their time. By default, Linux
// prolongs them by up to 50 microseconds.
void sleep_precisely();

} // namespace lockstep::runtime
