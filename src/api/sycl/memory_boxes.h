// Copies and fills of boxes of elements, as operations of the runtime.
#pragma once

#include "runtime/graph/operation.h"

#include "sycl/detail/library.hpp"

#include <memory>

namespace lockstep::sycl_api {

std::unique_ptr<runtime::Operation> copy_of_boxes(const sycl::detail::memory_box &to,
                                                  const sycl::detail::memory_box &from);
std::unique_ptr<runtime::Operation> fill_of_box(const sycl::detail::memory_box &to,
                                                const void *pattern);

} // namespace lockstep::sycl_api
