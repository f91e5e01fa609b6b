// The one platform and its root devices.
#pragma once

#include "sycl/detail/library.hpp"

namespace lockstep::sycl_api {

sycl::detail::platform_pointer the_platform(); // lives as long as the process

} // namespace lockstep::sycl_api
