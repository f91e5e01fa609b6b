#include "runtime/launch/cpu/diagnostics/running_inspection.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::runtime {

RunningInspection::RunningInspection()
    : has_barrier_(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) {}

void RunningInspection::wait() const {
  while (looks_.load(std::memory_order_acquire) != 0)
    sched_yield();
}

RunningInspection::Look::Look(RunningInspection &inspection)
    : inspection_(inspection), lock_(inspection.mutex_) {
  inspection_.looks_.store(1, std::memory_order_seq_cst);
  is_possible_ = inspection_.has_barrier_ &&
                 syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

RunningInspection::Look::~Look() {
  inspection_.looks_.store(0, std::memory_order_release);
}

} // namespace lockstep::runtime
