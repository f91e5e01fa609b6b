// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_work_item_queries: the current work-item, for functions that do not receive it as an
// argument.
#pragma once

#include "sycl/nd_item.hpp"

namespace sycl::khr {

template <int Dimensions> nd_item<Dimensions> this_nd_item() {
  return detail::make::object<nd_item<Dimensions>>();
}
template <int Dimensions> group<Dimensions> this_group() {
  return detail::make::object<group<Dimensions>>();
}
inline sycl::sub_group this_sub_group() {
  return this_nd_item<1>().get_sub_group();
}

} // namespace sycl::khr
