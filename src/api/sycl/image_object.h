// Images: a buffer, and the descriptor that kernels get (docs/decisions/0013-images.md).
#pragma once

#include "api/sycl/buffer.h"

#include "sycl/detail/library.hpp"

namespace lockstep::sycl_api {

sycl::detail::image_pointer make_image(const sycl::detail::image_origin &origin);
// Makes an image on memory of another API. `sampler` null: an unsampled image.
sycl::detail::image_pointer make_image_on(sycl::detail::buffer_pointer memory,
                                          const compiler::ImageDescriptor &descriptor,
                                          const sycl::image_sampler *sampler);
const sycl::detail::image_functions &image_functions();

} // namespace lockstep::sycl_api
