// Threads for functions of the program that are commands: native kernels, functions that free memory.
//
// Such a function may wait for kernels, or for another function of the program. On a worker it would hold up what it waits
// for. So each that is ready has a thread: an idle one, or a new one.
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

// False: there is no thread to be had, and nothing has happened.
[[nodiscard]] bool run_on_program_thread(std::function<void()> task);

} // namespace lockstep::runtime
