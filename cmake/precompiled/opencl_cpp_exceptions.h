// What programs include that use OpenCL's bindings for C++ with exceptions.
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#include "opencl_cpp.h"
