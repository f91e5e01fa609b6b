// get_native and make_* for OpenCL (SYCL 2020, appendix C): objects of both APIs over the same things of the runtime. A
// buffer and its cl_mem are the same memory, a queue and its cl_command_queue the same commands in the same order.
#pragma once

#include "sycl/detail/library.hpp"

namespace lockstep::sycl_api {

const sycl::detail::opencl_interop &opencl_interop();

} // namespace lockstep::sycl_api
