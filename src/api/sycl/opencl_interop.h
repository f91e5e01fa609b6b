// get_native and make_* for OpenCL (SYCL 2020, appendix C). Objects of both APIs share objects of
// the runtime: a buffer and its cl_mem are the same memory, and a queue and its cl_command_queue
// have the same commands in the same order.
#pragma once

#include "sycl/detail/library.hpp"

namespace lockstep::sycl_api {

const sycl::detail::opencl_interop &opencl_interop();

} // namespace lockstep::sycl_api
