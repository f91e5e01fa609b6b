// sycl_khr_dynamic_addrspace_cast.
#pragma once

#include "sycl/khr/addrspace_cast.hpp"
