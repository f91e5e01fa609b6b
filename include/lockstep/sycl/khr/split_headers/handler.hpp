// sycl_khr_split_headers.
#pragma once

#include "sycl/handler.hpp"
#include "sycl/version.hpp"
