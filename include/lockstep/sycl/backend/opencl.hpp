// OpenCL's objects beneath SYCL's (SYCL 2020, section 4.5.1.2); programs include CL/cl.h themselves.
#pragma once

#include "sycl/backend_interop.hpp"
