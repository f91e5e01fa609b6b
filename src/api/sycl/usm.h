// Unified shared memory: allocations of the runtime (runtime/memory/allocations.h), with the rules
// of SYCL.
#pragma once

#include "sycl/detail/library.hpp"

namespace lockstep::sycl_api {

void *allocate_usm(std::size_t bytes, std::size_t alignment,
                   const sycl::detail::context_pointer &context,
                   const sycl::detail::device_pointer &device, sycl::usm::alloc kind);
void free_usm(void *memory, const sycl::detail::context_pointer &context);
sycl::usm::alloc kind_of_usm(const void *memory, const sycl::detail::context_pointer &context);
sycl::detail::device_pointer device_of_usm(const void *memory,
                                           const sycl::detail::context_pointer &context);

} // namespace lockstep::sycl_api
