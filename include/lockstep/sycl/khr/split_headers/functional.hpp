// sycl_khr_split_headers.
#pragma once

#include "sycl/functional.hpp"
#include "sycl/version.hpp"
