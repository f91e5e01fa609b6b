// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ids and sizes of the current work-item, in SYCL's order of dimensions. They are expanded by
// dimension instead of in loops: a variable index would keep arrays in memory.
#pragma once

#include "sycl/detail/device_functions.hpp"
#include "sycl/id.hpp"

namespace sycl::detail::on_device {

#define LOCKSTEP_POINT(name, Point)                                                                \
  template <int Dimensions> Point<Dimensions> name##_point() {                                     \
    if constexpr (Dimensions == 1)                                                                 \
      return Point<1>(name(0));                                                                    \
    else if constexpr (Dimensions == 2)                                                            \
      return Point<2>(name(1), name(0));                                                           \
    else                                                                                           \
      return Point<3>(name(2), name(1), name(0));                                                  \
  }
LOCKSTEP_POINT(global_id, id)
LOCKSTEP_POINT(local_id, id)
LOCKSTEP_POINT(group_id, id)
LOCKSTEP_POINT(global_offset, id)
LOCKSTEP_POINT(global_size, range)
LOCKSTEP_POINT(local_size, range)
LOCKSTEP_POINT(num_groups, range)
#undef LOCKSTEP_POINT

} // namespace sycl::detail::on_device
