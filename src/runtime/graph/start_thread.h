// Starts a thread of the library: it lives as long as the process, is never joined, and takes none of the program's signals.
//
// The system may have no thread left (RLIMIT_NPROC, pids.max of a cgroup, no memory for the stack). The caller gets that as an
// error, where std::thread throws. So a thread is started by the call that makes the object which needs it; once a command
// is enqueued it is too late to report anything.
#pragma once

#include "support/result.h"

#include <cstddef>

namespace lockstep::runtime {

struct ThreadToStart {
  const char *purpose; // completes "no thread ... can be started"
  void *(*function)(void *);
  void *data;
  void *stack = nullptr;       // null: the system maps one
  std::size_t stack_bytes = 0; // 0: as many as the system gives
};

// ErrorKind::out_of_resources. Throws nothing but std::bad_alloc, for the sentence.
Result<void> start_thread(const ThreadToStart &thread);

} // namespace lockstep::runtime
