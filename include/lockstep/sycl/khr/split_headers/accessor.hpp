// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_split_headers.
#pragma once

#include "sycl/access.hpp"
#include "sycl/accessor.hpp"
#include "sycl/host_accessor.hpp"
#include "sycl/local_accessor.hpp"
#include "sycl/version.hpp"
