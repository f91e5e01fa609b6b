// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Queries of the current work-item, for functions that do not receive it as an argument (extension
// sycl_ext_oneapi_free_function_queries).
#pragma once

#include "sycl/nd_item.hpp"

#define SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES 1

namespace sycl::ext::oneapi {

namespace this_work_item {

template <int Dimensions> nd_item<Dimensions> get_nd_item() {
  return sycl::detail::make::object<nd_item<Dimensions>>();
}
template <int Dimensions> group<Dimensions> get_work_group() {
  return get_nd_item<Dimensions>().get_group();
}
inline sycl::sub_group get_sub_group() {
  return get_nd_item<1>().get_sub_group();
}

} // namespace this_work_item

namespace experimental {

namespace this_work_item { // extended by root_group.hpp
using oneapi::this_work_item::get_nd_item;
using oneapi::this_work_item::get_sub_group;
using oneapi::this_work_item::get_work_group;
} // namespace this_work_item

// Names of earlier versions of the extension.
template <int Dimensions> nd_item<Dimensions> this_nd_item() {
  return this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions> item<Dimensions> this_item() {
  return sycl::detail::make::object<item<Dimensions>>(
      sycl::detail::on_device::global_id_point<Dimensions>(),
      sycl::detail::on_device::global_size_point<Dimensions>(),
      sycl::detail::on_device::global_offset_point<Dimensions>());
}
template <int Dimensions> id<Dimensions> this_id() {
  return this_item<Dimensions>().get_id();
}
template <int Dimensions> group<Dimensions> this_group() {
  return this_work_item::get_work_group<Dimensions>();
}
inline sycl::sub_group this_sub_group() {
  return this_work_item::get_sub_group();
}

} // namespace experimental

} // namespace sycl::ext::oneapi
