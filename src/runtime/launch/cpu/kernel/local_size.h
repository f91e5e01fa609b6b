// Chooses the local size of a launch for which the program gave none.
#pragma once

#include "kernel_ir/kernel_info.h"
#include "runtime/device/kernel.h"

#include <array>
#include <cstdint>
#include <span>

namespace lockstep::runtime {

struct LocalSizeLimits {
  uint64_t max_group_size = 1024;
  std::array<uint64_t, 3> max_item_sizes{1024, 1024, 1024};
  unsigned workers = 1;
  unsigned sub_group_size = 1;         // the local size in x should be a multiple of it
  uint64_t many_items = 1024;          // of a group that is chosen, if the launch has very many
  uint64_t stack_bytes = ~uint64_t{0}; // limits the private memory of all work-items of a group
  bool prefers_squares = false;        // KernelFacts::suits_squares
};

// Prefers reqd_work_group_size, then work_group_size_hint if it is possible; else the most
// work-items while four groups per worker remain, up to 256 or `many_items` (launches with very many
// work-items), in x a multiple of the sub-group size. Rows that fill such a multiple nearly, or
// equal parts of rows, become groups, since edge groups would be small. If the kernel suits squares,
// x grows only to 16 or the sub-group size. If work-groups must be uniform
// (KernelInfo::uniform_work_group_size), each size divides the global size.
// clGetKernelSuggestedLocalWorkSizeKHR returns the same. A global size of 0 gives 1.
std::array<uint64_t, 3> choose_local_size(const compiler::KernelInfo &kernel,
                                          const LaunchGeometry &geometry,
                                          const LocalSizeLimits &limits);

// `usual`, or a size for which code was made ahead of time: the one with the most work-items, but
// no more than `usual` has. Sizes that divide the global size come first. The others make edge
// groups, which a kernel with uniform work-groups cannot have.
std::array<uint64_t, 3> prefer_finished(const std::array<uint64_t, 3> &usual,
                                        std::span<const std::array<uint32_t, 3>> finished,
                                        const compiler::KernelInfo &kernel,
                                        const LaunchGeometry &geometry);

// The maximum number of work-items of a group whose private memory fits: CL_KERNEL_WORK_GROUP_SIZE
// of a kernel without reqd_work_group_size, and the limit of choose_local_size.
uint64_t largest_group(const compiler::KernelInfo &kernel, const LocalSizeLimits &limits);

} // namespace lockstep::runtime
