// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_dynamic_addrspace_cast.
#pragma once

#include "sycl/khr/addrspace_cast.hpp"
