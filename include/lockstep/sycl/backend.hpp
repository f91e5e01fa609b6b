// Backends (SYCL 2020, section 4.5.1). There is one: objects of SYCL are seen as OpenCL's (backend_interop.hpp).
#pragma once

namespace sycl {

enum class backend : int { opencl };

template <backend Backend> class backend_traits;

} // namespace sycl

#define SYCL_BACKEND_OPENCL 1
