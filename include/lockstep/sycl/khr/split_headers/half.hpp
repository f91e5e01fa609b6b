// sycl_khr_split_headers.
#pragma once

#include "sycl/half.hpp"
#include "sycl/version.hpp"
