// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_split_headers.
#pragma once

#include "sycl/kernel_bundle.hpp"
#include "sycl/specialization_id.hpp"
#include "sycl/version.hpp"
