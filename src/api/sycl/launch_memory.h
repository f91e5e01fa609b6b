// Memory of a launch that only its kernel uses: partial results of reductions, counters of groups.
//
// The memory of a device that has its own comes from blocks that later launches reuse, because
// allocating and freeing there is slow.
#pragma once

#include "runtime/device/device.h"

#include <cstddef>
#include <memory>

namespace lockstep::sycl_api {

// Memory for kernels of `device`. The owner keeps it until the launch is settled. `alignment` is a
// power of two. Throws errc::memory_allocation if there is no memory left.
std::shared_ptr<void> launch_memory(const runtime::Device &device, std::size_t bytes,
                                    std::size_t alignment, bool is_zeroed);

} // namespace lockstep::sycl_api
