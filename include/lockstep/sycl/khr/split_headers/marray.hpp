// sycl_khr_split_headers.
#pragma once

#include "sycl/marray.hpp"
#include "sycl/version.hpp"
