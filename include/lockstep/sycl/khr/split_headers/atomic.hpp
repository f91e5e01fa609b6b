// sycl_khr_split_headers.
#pragma once

#include "sycl/atomic_ref.hpp"
#include "sycl/version.hpp"
