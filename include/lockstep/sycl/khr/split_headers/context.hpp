// sycl_khr_split_headers.
#pragma once

#include "sycl/context.hpp"
#include "sycl/version.hpp"
