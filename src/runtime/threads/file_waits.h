// Waits for files that become readable: eventfds shared by several processes, and sync files of
// drivers. One thread sleeps for all of them, so that no worker blocks.
//
// It uses epoll. poll fails for more files than RLIMIT_NOFILE, which a program may lower while
// waits are open, and it reports a closed file again and again.
#pragma once

#include "support/result.h"

#include <functional>

namespace lockstep::runtime {

// Any call that creates an object which may be waited for must call this first.
// ErrorKind::out_of_resources: the system has no thread or no descriptor left.
Result<void> start_file_waits();

// The thread calls `is_done` each time `file` is readable, until `is_done` returns true. It must
// neither block nor wait for a command. It returns false if another process consumed what made the
// file readable. `file` must stay open until `is_done` is destroyed. ErrorKind::out_of_resources:
// the OS kernel cannot watch the file.
Result<void> when_readable(int file, std::function<bool()> is_done);

} // namespace lockstep::runtime
