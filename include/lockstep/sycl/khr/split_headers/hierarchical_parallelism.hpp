// sycl_khr_split_headers.
#pragma once

#include "sycl/h_item.hpp"
#include "sycl/private_memory.hpp"
#include "sycl/version.hpp"
