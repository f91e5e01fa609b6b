// sycl_khr_split_headers.
#pragma once

#include "sycl/common_functions.hpp"
#include "sycl/version.hpp"
