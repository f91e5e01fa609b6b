// Runs compiled code without a device, for unit tests of the compiler.
#pragma once

#include "driver/compile.h"

#include <gtest/gtest.h>

namespace lockstep::compiler {

// Runs the only work-group of a launch of `items` in one dimension. `arguments` have the layout of
// launch_abi.h.
inline void run_one_group(const KernelCode &code, uint64_t items, const void *arguments) {
  ASSERT_FALSE(code.is_resumable());
  LaunchInfo launch{};
  launch.args = arguments;
  launch.work_dim = 1;
  for (int dimension = 0; dimension != 3; ++dimension) {
    launch.global_size[dimension] = launch.local_size[dimension] = dimension ? 1 : items;
    launch.num_groups[dimension] = 1;
  }
  GroupInfo group{{0, 0, 0}, {items, 1, 1}, nullptr};
  code.function(&launch, &group);
}

} // namespace lockstep::compiler
