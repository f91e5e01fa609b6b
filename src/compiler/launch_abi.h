// The border between machine code and the launch: what a compiled work-group function is given.
// The JIT code reads these structs by offset (ir_to_workgroup/lower_launch_queries.cpp), so a
// change here is a change of `launch_abi_version`, which is part of every cache key.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::compiler {

class EnqueueHandler; // device_enqueue_abi.h

inline constexpr uint32_t launch_abi_version = 8;

// The same for all work-groups of a launch. Sizes are in work-items.
struct LaunchInfo {
  const void *args; // the argument block: KernelArg::offset gives the place of each argument
  uint64_t global_offset[3];
  uint64_t global_size[3];
  uint64_t local_size[3]; // the enqueued local size
  uint64_t num_groups[3];
  uint32_t work_dim; // 1 to 3; unused dimensions have size 1 and offset 0
  uint32_t reserved;
  void *check;              // the checker's, of this launch (check_abi.h); null: it is not checked
  void *memory_check;       // the same, of its bounds (memory_check_abi.h)
  EnqueueHandler *enqueues; // for kernels that enqueue (device_enqueue_abi.h); else null
};

// One work-group.
struct GroupInfo {
  uint64_t group_id[3];
  uint64_t local_size[3]; // of this group; smaller than LaunchInfo::local_size at the edge of a
                          // non-uniform launch
  void *local_memory;     // kernel-scope local variables first, then the local pointer arguments;
                          // aligned to 128
  mutable void *check = nullptr; // what the checker keeps of it (src/runtime/check); not code's
};

// Runs one work-group to its end, or as many as KernelCode::groups_at_once says, of which
// `group_id` names the first; or a row of one, if KernelCode::calls_per_group says so. Must be called on a thread with at least KernelCode::stack_size bytes
// of stack.
using WorkGroupFunction = void (*)(const LaunchInfo *, const GroupInfo *);

static_assert(offsetof(LaunchInfo, args) == 0 && offsetof(LaunchInfo, global_offset) == 8);
static_assert(offsetof(LaunchInfo, work_dim) == 8 + 4 * 24 && sizeof(LaunchInfo) == 136);
static_assert(offsetof(GroupInfo, local_size) == 24 && offsetof(GroupInfo, local_memory) == 48);

} // namespace lockstep::compiler
