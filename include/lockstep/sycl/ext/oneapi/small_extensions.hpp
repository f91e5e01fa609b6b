// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small oneAPI extensions: num_compute_units, auto_local_range, current_device,
// max_work_group_query, composite_device (there is none), and the progress queries by the names of
// their specification.
#pragma once

#include "sycl/detail/launch.hpp"
#include "sycl/device.hpp"
#include "sycl/ext/oneapi/experimental/forward_progress.hpp"
#include "sycl/info.hpp"
#include "sycl/khr/max_work_group_queries.hpp"

#define SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE 1
#define SYCL_EXT_ONEAPI_COMPOSITE_DEVICE 1
#define SYCL_EXT_ONEAPI_CURRENT_DEVICE 1
#define SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY 1
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

namespace sycl::ext::oneapi::experimental {

// A local range that the library chooses, as it does for a plain range.
template <int Dimensions> range<Dimensions> auto_range() {
  return sycl::detail::chosen_local_range<Dimensions>();
}

inline std::vector<device> get_composite_devices() {
  return {};
}
namespace info::device {
template <int Dimensions = 3> struct max_work_groups {
  using return_type = id<Dimensions>;
  template <class Device> static return_type answer(const Device &of) {
    return id<Dimensions>(
        of.template get_info<khr::info::device::max_work_group_range<Dimensions>>());
  }
};
struct max_global_work_groups {
  using return_type = std::size_t;
  template <class Device> static return_type answer(const Device &of) {
    return of.template get_info<khr::info::device::max_work_group_range_size>();
  }
};
struct component_devices {
  using return_type = std::vector<sycl::device>;
  static return_type answer(const sycl::device &) { return {}; }
};
struct composite_device {
  using return_type = sycl::device;
  static return_type answer(const sycl::device &) {
    sycl::detail::raise(errc::invalid, "the device is not a component of a composite device "
                                       "(sycl_ext_oneapi_composite_device)");
  }
};
} // namespace info::device

namespace this_thread {

inline device &current_device_of_thread() {
  static thread_local device current;
  return current;
}
inline device get_current_device() {
  return current_device_of_thread();
}
inline void set_current_device(device to) {
  current_device_of_thread() = std::move(to);
}

} // namespace this_thread

} // namespace sycl::ext::oneapi::experimental

namespace sycl {
inline std::vector<device> platform::ext_oneapi_get_composite_devices() const {
  return {};
}
} // namespace sycl
