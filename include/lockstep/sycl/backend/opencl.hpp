// OpenCL's objects beneath SYCL's, with OpenCL's own header (SYCL 2020, section 4.5.1.2).
#pragma once

#include <CL/cl.h>

#include "sycl/backend_interop.hpp"
#include "sycl/sycl.hpp"
