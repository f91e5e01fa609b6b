// Backends (SYCL 2020, section 4.5.1).
#pragma once

namespace sycl {

enum class backend : int { lockstep, opencl };

template <backend Backend> class backend_traits;

} // namespace sycl
