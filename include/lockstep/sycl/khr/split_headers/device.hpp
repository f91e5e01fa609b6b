// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_split_headers.
#pragma once

#include "sycl/aspect.hpp"
#include "sycl/device.hpp"
#include "sycl/device_selector.hpp"
#include "sycl/info.hpp"
#include "sycl/version.hpp"
