#include "api/opencl/background.h"

#include "platform/linux/fork.h"

#include <exception>
#include <thread>

namespace lockstep::opencl {

void run_in_background(std::function<void()> work) {
  try {
    std::thread([work] { call_program(work); }).detach();
  } catch (const std::exception &) { // the thread cannot be created
    work();
  }
}

} // namespace lockstep::opencl
