// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_split_headers.
#pragma once

#include "sycl/aspect.hpp"
#include "sycl/group_functions.hpp"
#include "sycl/is_device_copyable.hpp"
#include "sycl/property_list.hpp"
#include "sycl/version.hpp"
