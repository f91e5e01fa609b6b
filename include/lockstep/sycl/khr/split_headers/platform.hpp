// sycl_khr_split_headers.
#pragma once

#include "sycl/platform.hpp"
#include "sycl/version.hpp"
