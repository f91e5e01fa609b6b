// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_ext_intel_queue_immediate_command_list: hints, which a queue stores and returns. They have
// no effect, because Lockstep does not collect commands in lists.
#pragma once

#include "sycl/property_list.hpp"

#define SYCL_EXT_INTEL_QUEUE_IMMEDIATE_COMMAND_LIST 1

namespace sycl::ext::intel::property::queue {

struct no_immediate_command_list : sycl::detail::property_base {};
struct immediate_command_list : sycl::detail::property_base {};

} // namespace sycl::ext::intel::property::queue
