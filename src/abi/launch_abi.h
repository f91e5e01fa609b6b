// Interface between machine code and the launch: the parameters of a compiled work-group function.
// The JIT code reads these structs by offset (prepare_code/lower_launch.cpp). A change here
// requires a new `launch_abi_version`, which is part of every cache key.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::compiler {

class EnqueueHandler; // device_enqueue_abi.h

inline constexpr uint32_t launch_abi_version = 12;

// The same for all work-groups of a launch. Sizes are in work-items.
struct LaunchInfo {
  const void *args; // the argument block: KernelArg::offset is the offset of each argument
  uint64_t global_offset[3];
  uint64_t global_size[3];
  uint64_t local_size[3]; // the enqueued local size
  uint64_t num_groups[3];
  uint32_t work_dim; // 1 to 3; unused dimensions have size 1 and offset 0
  // If a call runs several groups, each has a copy of the local pointer arguments: the distance of
  // two copies.
  uint32_t local_argument_bytes;
  void *check;              // state of the checker for this launch (check_abi.h); null: not checked
  void *memory_check;       // state of the bounds checker (memory_check_abi.h); null: not checked
  EnqueueHandler *enqueues; // for kernels that enqueue (device_enqueue_abi.h); else null
};

// One work-group.
struct GroupInfo {
  uint64_t group_id[3];
  // The size of this group; smaller than LaunchInfo::local_size at the edge of a non-uniform
  // launch.
  uint64_t local_size[3];
  // Kernel-scope local variables first, then the local pointer arguments; aligned to 128 bytes. If
  // a call runs several groups, each has copies of both.
  void *local_memory;
  // State of the checker for this group (src/runtime/check); code does not use it.
  mutable void *check = nullptr;
};

// Runs one work-group to its end. If KernelCode::groups_at_once says so, runs several groups, of
// which `group_id` names the first; if KernelCode::calls_per_group says so, runs one row of a
// group. The caller's thread must have at least KernelCode::stack_size bytes of stack.
using WorkGroupFunction = void (*)(const LaunchInfo *, const GroupInfo *);

static_assert(offsetof(LaunchInfo, args) == 0 && offsetof(LaunchInfo, global_offset) == 8);
static_assert(offsetof(LaunchInfo, work_dim) == 8 + 4 * 24 && sizeof(LaunchInfo) == 136);
static_assert(offsetof(LaunchInfo, local_argument_bytes) == 8 + 4 * 24 + 4);
static_assert(offsetof(GroupInfo, local_size) == 24 && offsetof(GroupInfo, local_memory) == 48);

} // namespace lockstep::compiler
