// The local size of a launch whose program gave none.
#pragma once

#include "compiler/kernel_ir/kernel_info.h"
#include "runtime/kernel.h"

#include <array>
#include <cstdint>

namespace lockstep::runtime {

struct LocalSizeLimits {
  uint64_t max_group_size = 1024;
  std::array<uint64_t, 3> max_item_sizes{1024, 1024, 1024};
  unsigned workers = 1;
  unsigned sub_group_size = 1;         // a multiple of it is preferred in x
  uint64_t stack_bytes = ~uint64_t{0}; // for the private memory of all work-items of a group
};

// In this order: reqd_work_group_size, then work_group_size_hint if it is possible; else x grows to
// a multiple of the sub-group size, then y and z, up to 256 items (1024 for launches with very many
// items), while at least four groups remain per worker. A row that is no multiple, but nearly one, is a group of its own: edges
// would be groups of few items, and sub-groups of two rows do not lie in a row. Where work-groups must be uniform
// (KernelInfo::uniform_work_group_size) each size divides the global size. Also what
// clGetKernelSuggestedLocalWorkSizeKHR answers. A global size of 0 gives 1.
std::array<uint64_t, 3> choose_local_size(const compiler::KernelInfo &kernel,
                                          const LaunchGeometry &geometry,
                                          const LocalSizeLimits &limits);

// The most work-items of a group whose private memory fits: CL_KERNEL_WORK_GROUP_SIZE of a kernel
// without reqd_work_group_size, and the limit of choose_local_size.
uint64_t largest_group(const compiler::KernelInfo &kernel, const LocalSizeLimits &limits);

} // namespace lockstep::runtime
