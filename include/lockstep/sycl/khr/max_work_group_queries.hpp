// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_max_work_group_queries: the maximum number of work-groups of an nd_range.
#pragma once

#include "sycl/info.hpp"
#include "sycl/range.hpp"

namespace sycl::khr::info::device {

template <int Dimensions = 3> struct max_work_group_range {
  using return_type = range<Dimensions>;
  static constexpr int number = 110 + Dimensions;
};
struct max_work_group_range_size {
  using return_type = std::size_t;
  static constexpr int number = 110;
};

} // namespace sycl::khr::info::device
