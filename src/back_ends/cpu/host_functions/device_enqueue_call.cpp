#include "back_ends/cpu/host_functions/device_enqueue_call.h"

using namespace lockstep::compiler;

int64_t lockstep_device_enqueue(const LaunchInfo *launch, const GroupInfo *group, uint32_t call,
                                const EnqueueWords *words) {
  if (launch->enqueues)
    return launch->enqueues->call(static_cast<EnqueueCall>(call), *group, *words);
  // CL_ENQUEUE_FAILURE; a tool launched the kernel without a queue.
  constexpr int64_t enqueue_failure = -101;
  return call <= uint32_t(EnqueueCall::enqueue_marker) ? enqueue_failure : 0;
}
