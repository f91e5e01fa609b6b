// Images of SYCL: a buffer, and the descriptor that kernels are given (docs/decisions/0013-images.md).
#pragma once

#include "sycl/detail/library.hpp"

namespace lockstep::sycl_api {

sycl::detail::image_pointer make_image(const sycl::detail::image_origin &origin);
const sycl::detail::image_functions &image_functions();

} // namespace lockstep::sycl_api
