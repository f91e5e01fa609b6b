// What the device says about pipes. All but the first are no limits of ours.
#pragma once

#include <CL/cl.h>

namespace lockstep::opencl::pipe_limits {

inline constexpr cl_uint packet_size = 1024;           // the least that is allowed
inline constexpr cl_uint arguments = 64;               // of a kernel
inline constexpr cl_uint active_reservations = 65'536; // of a work-item in a pipe: any, to its size

} // namespace lockstep::opencl::pipe_limits
