// Waits for files that others make readable: eventfds that several processes have, sync files of drivers. One thread, started
// with the first wait, sleeps for all of them, so that no worker is held up.
#pragma once

#include <functional>

namespace lockstep::runtime {

// `is_done` is called in that thread each time `file` is readable, until it returns true; it must neither block nor wait for
// a command. False: what made the file readable was taken by somebody else. `file` stays open until then.
void when_readable(int file, std::function<bool()> is_done);

} // namespace lockstep::runtime
