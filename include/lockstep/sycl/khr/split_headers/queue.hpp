// sycl_khr_split_headers.
#pragma once

#include "sycl/queue.hpp"
#include "sycl/version.hpp"
