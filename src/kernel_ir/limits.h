// Limits that compiler, launch and device queries must agree on.
#pragma once

#include <cstdint>

namespace lockstep::compiler {

inline constexpr uint32_t max_work_group_size = 4096; // CL_DEVICE_MAX_WORK_GROUP_SIZE, work-items
inline constexpr uint32_t widest_sub_group_bits = 6;
inline constexpr uint32_t widest_sub_group = 1 << widest_sub_group_bits; // work-items
// Bounds of CL_DEVICE_LOCAL_MEM_SIZE, in bytes: it is half of the second-level cache.
inline constexpr uint64_t least_local_memory = 64 * 1024;
inline constexpr uint64_t most_local_memory = 1024 * 1024;
// Scratch memory of work-group collectives, part of a kernel's local memory: the result, then a
// partial result of each sub-group, 8 bytes each.
inline constexpr uint64_t group_scratch_size = (uint64_t{max_work_group_size} + 1) * 8;
inline constexpr uint32_t group_scratch_alignment = 64;
// Stack of a worker, bytes: private memory of a whole group.
inline constexpr uint64_t max_stack_size = 256ull * 1024 * 1024;
// Alignment of buffers and of local memory, bytes: long16.
inline constexpr uint32_t memory_alignment = 128;
inline constexpr uint32_t max_argument_bytes = 4096; // CL_DEVICE_MAX_PARAMETER_SIZE
// CL_DEVICE_MAX_CONSTANT_ARGS. A kernel may have other arguments as well; only max_argument_bytes
// limits the total number.
inline constexpr uint32_t max_constant_arguments = 255;
// CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, bytes.
inline constexpr uint64_t max_global_variable_size = 16 * 1024 * 1024;

} // namespace lockstep::compiler
