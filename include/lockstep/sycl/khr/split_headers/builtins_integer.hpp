// sycl_khr_split_headers.
#pragma once

#include "sycl/integer_functions.hpp"
#include "sycl/version.hpp"
