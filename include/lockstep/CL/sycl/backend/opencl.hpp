// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The header for OpenCL interoperability in DPC++ before SYCL 2020. Deprecated: include
// <sycl/backend/opencl.hpp> instead.
#pragma once

#include <CL/sycl.hpp>
