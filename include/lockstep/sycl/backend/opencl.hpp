// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// OpenCL interoperability and OpenCL's types (SYCL 2020, section 4.5.1.2).
#pragma once

#include <CL/cl.h>

#include "sycl/backend_interop.hpp"
