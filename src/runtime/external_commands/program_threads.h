// Threads that run commands which are functions of the program: native kernels, functions that free
// memory.
//
// Such a function may wait for kernels or for another function of the program. On a worker it could
// block the command that it waits for. So each ready function runs on a thread of its own, idle or
// new.
#pragma once

#include "runtime/graph/operation.h"

#include <functional>

namespace lockstep::runtime {

// A command that calls a function of the program.
class ProgramFunction : public HostOperation {
public:
  bool is_host_code() const final { return true; }
  uint64_t parts() const final { return 1; }

private:
  CountsHostCode counts_;
};

// Runs `task` on such a thread. False: no thread can be started, and nothing was changed.
[[nodiscard]] bool run_on_program_thread(std::function<void()> task);

} // namespace lockstep::runtime
