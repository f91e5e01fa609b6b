// Where DPC++ had the interoperability with OpenCL before SYCL 2020. Deprecated: #include <sycl/backend/opencl.hpp>.
#pragma once

#include <CL/sycl.hpp>
