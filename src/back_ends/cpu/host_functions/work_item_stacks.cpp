#include "back_ends/cpu/host_functions/work_item_stacks.h"

#include "abi/launch_abi.h"
#include "abi/resumable_abi.h"
#include "back_ends/cpu/host_functions/address_space_query.h"
#include "support/message.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

namespace {

using namespace lockstep::compiler;
using Body = void (*)(const LaunchInfo *, const GroupInfo *, SubGroupFrame *, uint64_t);

constexpr size_t page = 4096;
constexpr size_t for_calls = size_t{256} << 10; // of printf and other host functions

// At the end of the memory that is the stack.
struct WorkItemStack {
  ucontext_t own, caller;
  void *memory;
  size_t bytes;
  RunningWorkItem ids;
  Body body;
  const LaunchInfo *launch;
  const GroupInfo *group;
  SubGroupFrame *frame;
  uint64_t work_item;
};

// Linear memory with a page below it that no one may access.
WorkItemStack *make_stack(size_t body_bytes) {
  const size_t bytes = (body_bytes + for_calls + sizeof(WorkItemStack) + 2 * page) / page * page;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    lockstep::print_message("no memory for the stack of a work-item");
    std::abort();
  }
  mprotect(memory, page, PROT_NONE);
  auto *end = static_cast<char *>(memory) + bytes;
  auto *stack = reinterpret_cast<WorkItemStack *>(end - (sizeof(WorkItemStack) + 63) / 64 * 64);
  stack->memory = memory;
  stack->bytes = bytes;
  return stack;
}

RunningWorkItem ids_of(const LaunchInfo &launch, const GroupInfo &group, uint64_t work_item) {
  RunningWorkItem ids{};
  ids.is_running = 1;
  for (int i = 0; i != 3; ++i) {
    ids.local_id[i] = work_item % group.local_size[i];
    work_item /= group.local_size[i];
    ids.group_id[i] = group.group_id[i];
    ids.global_id[i] =
        launch.global_offset[i] + group.group_id[i] * launch.local_size[i] + ids.local_id[i];
  }
  return ids;
}

WorkItemStack *&stack_of(SubGroupFrame *frame) {
  return reinterpret_cast<WorkItemStack *&>(frame->reserved[0]);
}

void run(unsigned high, unsigned low) {
#if defined(__x86_64__) // the first frame of a backtrace
  asm volatile(".cfi_undefined rip");
#else
  asm volatile(".cfi_undefined x30");
#endif
  auto *stack = reinterpret_cast<WorkItemStack *>(uint64_t{high} << 32 | low);
  stack->body(stack->launch, stack->group, stack->frame, stack->work_item);
  asm volatile(""); // no jump in place of the call: this frame stays
}

// Runs the work-item to its next suspension or to its end.
void enter(WorkItemStack *stack) {
  SubGroupFrame *frame = stack->frame;
  const ThreadLocalMemory before = thread_private_memory;
  thread_private_memory = {stack->memory, stack->bytes};
  lockstep_running_work_item = stack->ids;
  swapcontext(&stack->caller, &stack->own);
  lockstep_running_work_item.is_running = 0;
  thread_private_memory = before;
  if (frame->step == Step::done)
    munmap(stack->memory, stack->bytes);
}

} // namespace

constinit RunningWorkItem lockstep_running_work_item{};

void lockstep_start_on_stack(const LaunchInfo *launch, const GroupInfo *group, SubGroupFrame *frame,
                             uint64_t work_item, Body body, uint64_t bytes) {
  WorkItemStack *stack = make_stack(bytes);
  stack_of(frame) = stack;
  stack->ids = ids_of(*launch, *group, work_item);
  stack->body = body;
  stack->launch = launch;
  stack->group = group;
  stack->frame = frame;
  stack->work_item = work_item;
  getcontext(&stack->own);
  stack->own.uc_stack.ss_sp = stack->memory;
  stack->own.uc_stack.ss_size =
      reinterpret_cast<char *>(stack) - static_cast<char *>(stack->memory);
  stack->own.uc_link = &stack->caller;
  const auto word = reinterpret_cast<uint64_t>(stack);
  makecontext(&stack->own, reinterpret_cast<void (*)()>(run), 2, static_cast<unsigned>(word >> 32),
              static_cast<unsigned>(word));
  enter(stack);
}

void lockstep_resume_on_stack(SubGroupFrame *frame) {
  enter(stack_of(frame));
}

void lockstep_leave_stack(SubGroupFrame *frame) {
  WorkItemStack *stack = stack_of(frame);
  swapcontext(&stack->own, &stack->caller);
}
