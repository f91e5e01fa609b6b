// Limits that compiler, launch and device queries must agree on.
#pragma once

#include <cstdint>

namespace lockstep::compiler {

inline constexpr uint32_t max_work_group_size = 4096; // CL_DEVICE_MAX_WORK_GROUP_SIZE, work-items
inline constexpr uint64_t max_local_memory =
    256 * 1024; // CL_DEVICE_LOCAL_MEM_SIZE, bytes: stays in L2
// Of work-group collectives, part of a kernel's local memory: the result, then a partial result of
// each sub-group, 8 bytes each.
inline constexpr uint64_t group_scratch_size = (uint64_t{max_work_group_size} + 1) * 8;
inline constexpr uint32_t group_scratch_alignment = 64;
inline constexpr uint64_t max_stack_size =
    256ull * 1024 * 1024; // of a worker, bytes: private memory of a whole group
inline constexpr uint32_t memory_alignment = 128; // of buffers and of local memory, bytes: long16
inline constexpr uint32_t max_argument_bytes = 4096; // CL_DEVICE_MAX_PARAMETER_SIZE
inline constexpr uint32_t max_arguments = 255; // follows from that (API 4.2), of any address space
inline constexpr uint64_t max_global_variable_size =
    16 * 1024 * 1024; // CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, bytes

} // namespace lockstep::compiler
