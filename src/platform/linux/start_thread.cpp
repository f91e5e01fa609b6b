#include "platform/linux/start_thread.h"

#include "platform/linux/blocked_signals.h"

#include <cstring>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/prctl.h>

namespace lockstep::runtime {

Result<void> start_thread(const ThreadToStart &thread) {
  const BlockedSignals blocked;
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error == 0) {
    if (thread.stack)
      error = pthread_attr_setstack(&attributes, thread.stack, thread.stack_bytes);
    else if (thread.stack_bytes)
      error = pthread_attr_setstacksize(&attributes, thread.stack_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t id;
    if (error == 0)
      error = pthread_create(&id, &attributes, thread.function, thread.data);
    pthread_attr_destroy(&attributes);
  }
  if (error == 0)
    return {};
  return Error{ErrorKind::out_of_resources, fmt::format("no thread {} can be started: {}",
                                                        thread.purpose, std::strerror(error))};
}

void sleep_precisely() {
  constexpr unsigned long nanoseconds = 1;
  prctl(PR_SET_TIMERSLACK, nanoseconds); // if it fails, sleeps are longer
}

} // namespace lockstep::runtime
