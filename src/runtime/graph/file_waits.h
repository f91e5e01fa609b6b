// Waits for files that others make readable: eventfds that several processes have, sync files of drivers. One thread
// sleeps for all of them, so that no worker is held up.
//
// It waits by epoll: poll refuses more files than RLIMIT_NOFILE, which a program may lower while waits are open, and
// reports a file that was closed for ever.
#pragma once

#include "support/result.h"

#include <functional>

namespace lockstep::runtime {

// By the call that makes an object which may be waited for. ErrorKind::out_of_resources: the system has no thread or no
// descriptor for it.
Result<void> start_file_waits();

// `is_done` is called in that thread each time `file` is readable, until it returns true; it must neither block nor wait for
// a command. False: another process took what made the file readable. `file` stays open until `is_done` is destroyed.
// ErrorKind::out_of_resources: the kernel does not watch the file.
Result<void> when_readable(int file, std::function<bool()> is_done);

} // namespace lockstep::runtime
