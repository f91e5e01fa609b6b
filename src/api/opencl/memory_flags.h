// Checks cl_mem_flags (OpenCL 3.0 API section 5.2.1, table "Memory Flags"), and completes them with
// defaults and inherited flags.
#pragma once

#include "api/opencl/error.h"

#include <CL/cl_ext.h>

#ifndef CL_MEM_IMMUTABLE_EXT // cl_ext_immutable_memory_objects
#define CL_MEM_IMMUTABLE_EXT (1 << 6)
#endif

namespace lockstep::opencl {

inline constexpr cl_mem_flags kernel_access_flags =
    CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
inline constexpr cl_mem_flags host_pointer_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
inline constexpr cl_mem_flags host_access_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

// Checks that all flags are valid for creating an object and that no two of them exclude each
// other.
Check check_memory_flags(cl_mem_flags flags);
// An object that can never be written must get its contents when it is created: from the host, or
// from another object (`has_contents`).
Check check_contents(cl_mem_flags flags, bool has_contents, const char *section);
// Checks the flags of a sub-buffer against the flags of its parent.
Check check_sub_buffer_flags(cl_mem_flags parent, cl_mem_flags flags);
// Returns the flags of a sub-buffer, including those that it inherits.
cl_mem_flags inherit_flags(cl_mem_flags parent, cl_mem_flags flags);
// Adds the default kernel access flag if there is none.
cl_mem_flags complete_flags(cl_mem_flags flags);

} // namespace lockstep::opencl
