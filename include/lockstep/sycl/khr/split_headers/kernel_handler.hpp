// sycl_khr_split_headers.
#pragma once

#include "sycl/specialization_id.hpp"
#include "sycl/version.hpp"
