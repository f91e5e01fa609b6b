// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_split_headers.
#pragma once

#include "sycl/group.hpp"
#include "sycl/group_barrier.hpp"
#include "sycl/sub_group.hpp"
#include "sycl/version.hpp"
