// sycl_khr_split_headers.
#pragma once

#include "sycl/bit_cast.hpp"
#include "sycl/version.hpp"
