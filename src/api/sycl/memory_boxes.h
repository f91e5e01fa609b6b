// Copies and fills of boxes of elements, as operations of the runtime, for a queue of the device.
#pragma once

#include "runtime/device/device.h"
#include "runtime/graph/operation.h"

#include "sycl/detail/library.hpp"

#include <memory>

namespace lockstep::sycl_api {

std::unique_ptr<runtime::Operation> copy_of_boxes(const runtime::Device &device,
                                                  const sycl::detail::memory_box &to,
                                                  const sycl::detail::memory_box &from);
std::unique_ptr<runtime::Operation>
fill_of_box(const runtime::Device &device, const sycl::detail::memory_box &to, const void *pattern);

} // namespace lockstep::sycl_api
