// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_split_headers.
#pragma once

#include "sycl/h_item.hpp"
#include "sycl/id.hpp"
#include "sycl/item.hpp"
#include "sycl/nd_item.hpp"
#include "sycl/nd_range.hpp"
#include "sycl/range.hpp"
#include "sycl/version.hpp"
