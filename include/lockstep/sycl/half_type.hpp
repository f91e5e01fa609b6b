// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The name of half.hpp in DPC++, which programs include by itself.
#pragma once

#include "sycl/half.hpp"
