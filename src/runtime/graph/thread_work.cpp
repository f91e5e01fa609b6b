#include "runtime/graph/thread_work.h"

#include "runtime/graph/command.h"

namespace lockstep::runtime {

void ThreadWork::begin() {
  begun_ = now_nanoseconds();
}

void ThreadWork::end() {
  notify(&Listener::thread_worked, kind_, name_, begun_, now_nanoseconds());
}

} // namespace lockstep::runtime
