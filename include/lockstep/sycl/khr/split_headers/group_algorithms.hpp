// sycl_khr_split_headers.
#pragma once

#include "sycl/group_functions.hpp"
#include "sycl/version.hpp"
