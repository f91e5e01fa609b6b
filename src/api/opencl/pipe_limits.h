// Values of the device's pipe queries. Only the first one is an actual limit of Lockstep.
#pragma once

#include <CL/cl.h>

namespace lockstep::opencl::pipe_limits {

inline constexpr cl_uint packet_size = 1024; // bytes; the minimum that the specification allows
inline constexpr cl_uint arguments = 64;     // for each kernel
// For each work-item and pipe; only the size of the pipe really limits it.
inline constexpr cl_uint active_reservations = 65'536;

} // namespace lockstep::opencl::pipe_limits
