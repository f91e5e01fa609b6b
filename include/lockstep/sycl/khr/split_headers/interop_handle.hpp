// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_split_headers.
#pragma once

#include "sycl/interop_handle.hpp"
#include "sycl/version.hpp"
