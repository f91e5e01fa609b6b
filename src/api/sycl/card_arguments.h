// The arguments of a kernel for a device that has its own memory: an accessor in a function object
// contains an address of the host's memory, and the device needs that of its copy. The launch itself
// does that for images (runtime::ImagePlace).
#pragma once

#include "api/sycl/command_group.h"
#include "api/sycl/images.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace lockstep::sycl_api {

struct PlacedArguments {
  std::vector<std::byte> block;
  runtime::Accesses memories; // as LaunchArguments::memories
};

// The arguments of the launch with addresses in `space`. Makes copies of buffers there. Throws
// errc::feature_not_supported if the kernel gets what only works in the host's memory.
PlacedArguments arguments_in(const std::shared_ptr<runtime::MemorySpace> &space,
                             const RecordedLaunch &launch,
                             const std::vector<Requirement> &requirements);

} // namespace lockstep::sycl_api
