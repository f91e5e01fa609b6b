// sycl_khr_split_headers.
#pragma once

#include "sycl/usm.hpp"
#include "sycl/version.hpp"
