// Runs each work-item on a stack of its own, for debuggers (CodeOptions::debugger). A work-item
// that is suspended at a barrier keeps its stack, so its frame is the same after it: `next` and
// `finish` of gdb stay with it while others run.
#pragma once

#include <cstdint>

namespace lockstep::compiler {

struct GroupInfo;
struct LaunchInfo;
struct SubGroupFrame;

// The work-item that runs at the moment. gdb reads it by its symbol (tools/lockstep/debug).
struct RunningWorkItem {
  uint64_t is_running; // 0: none
  uint64_t global_id[3], local_id[3], group_id[3];
};

} // namespace lockstep::compiler

extern "C" {

extern __attribute__((
    visibility("default"))) lockstep::compiler::RunningWorkItem lockstep_running_work_item;

// Calls `body` on a new stack, and returns when it suspends or returns. `bytes`: what `body` needs.
void lockstep_start_on_stack(const lockstep::compiler::LaunchInfo *launch,
                             const lockstep::compiler::GroupInfo *group,
                             lockstep::compiler::SubGroupFrame *frame, uint64_t work_item,
                             void (*body)(const lockstep::compiler::LaunchInfo *,
                                          const lockstep::compiler::GroupInfo *,
                                          lockstep::compiler::SubGroupFrame *, uint64_t),
                             uint64_t bytes);

// Continues it behind its last suspension.
void lockstep_resume_on_stack(lockstep::compiler::SubGroupFrame *frame);

// Called by it: suspends it. Returns in lockstep_resume_on_stack.
void lockstep_leave_stack(lockstep::compiler::SubGroupFrame *frame);
}
