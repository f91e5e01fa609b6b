// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_split_headers.
#pragma once

#include "sycl/common_functions.hpp"
#include "sycl/geometric_functions.hpp"
#include "sycl/integer_functions.hpp"
#include "sycl/math.hpp"
#include "sycl/math_pointers.hpp"
#include "sycl/relational_functions.hpp"
#include "sycl/version.hpp"
