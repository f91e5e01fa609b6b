// What programs include that use OpenCL's bindings for C++.
#pragma once

#include "standard.h"

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>
