#include "api/opencl/background.h"

#include "platform/linux/foreign_call.h"
#include "platform/linux/fork.h"

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
  } catch (const std::exception &) { // the thread cannot be created
    work();
  }
}

} // namespace lockstep::opencl
