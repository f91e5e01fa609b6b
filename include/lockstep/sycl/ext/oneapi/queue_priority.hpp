// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_ext_oneapi_queue_priority: hints, which a queue stores and returns. They have no effect:
// only dependencies order commands.
#pragma once

#include "sycl/property_list.hpp"

#define SYCL_EXT_ONEAPI_QUEUE_PRIORITY 1

namespace sycl::ext::oneapi::property::queue {

struct priority_normal : sycl::detail::property_base {};
struct priority_low : sycl::detail::property_base {};
struct priority_high : sycl::detail::property_base {};

inline const property_list &with_one_priority(const property_list &properties) {
  if (properties.has_property<priority_normal>() + properties.has_property<priority_low>() +
          properties.has_property<priority_high>() >
      1)
    sycl::detail::raise(errc::invalid, "a queue has one priority (sycl_ext_oneapi_queue_priority)");
  return properties;
}

} // namespace sycl::ext::oneapi::property::queue
