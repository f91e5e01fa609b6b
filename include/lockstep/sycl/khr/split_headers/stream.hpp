// sycl_khr_split_headers.
#pragma once

#include "sycl/stream.hpp"
#include "sycl/version.hpp"
