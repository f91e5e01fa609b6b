// Device images of the program, and the kernels in them.
//
// A kernel is compiled alone, with what it calls, when it is first launched: one that cannot be compiled fails alone, and
// a program pays for what it runs.
#pragma once

#include "api/sycl/device.h"
#include "runtime/kernel.h"

#include "sycl/detail/image.hpp"

namespace lockstep::sycl_api {

void add_image(const sycl::detail::image &added);
void remove_image(const sycl::detail::image &removed);

// Throws: the image is of another version, it has no such kernel, or the kernel does not compile. Lives as long as the
// image.
runtime::Kernel &kernel_of(const sycl::detail::kernel_reference &reference, const Device &device);

} // namespace lockstep::sycl_api
