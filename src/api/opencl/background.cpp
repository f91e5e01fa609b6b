#include "api/opencl/background.h"

#include "support/foreign_call.h"
#include "support/fork.h"

#include <exception>
#include <thread>

namespace lockstep::opencl {

void run_in_background(std::function<void()> work) {
  try {
    ForeignCall::watch_exit();
    std::thread([work] {
      ForeignCall::only_exit_ends_this_thread(true);
      call_program(work);
      ForeignCall::only_exit_ends_this_thread(false);
    }).detach();
  } catch (const std::exception &) { // no thread, or no memory for one
    work();
  }
}

} // namespace lockstep::opencl
