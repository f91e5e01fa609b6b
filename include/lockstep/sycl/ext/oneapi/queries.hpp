// Small queries of extensions: sycl_ext_oneapi_num_compute_units, and progress by the names of its specification.
#pragma once

#include "sycl/ext/oneapi/experimental/forward_progress.hpp"
#include "sycl/info.hpp"

#define SYCL_EXT_ONEAPI_NUM_COMPUTE_UNITS 1

namespace sycl::ext::oneapi::info::device {

struct num_compute_units {
  using return_type = std::size_t;
  template <class Device> static return_type answer(const Device &of) {
    return of.template get_info<sycl::info::device::max_compute_units>();
  }
};
using experimental::info::device::sub_group_progress_capabilities;
using experimental::info::device::work_group_progress_capabilities;
using experimental::info::device::work_item_progress_capabilities;

} // namespace sycl::ext::oneapi::info::device
