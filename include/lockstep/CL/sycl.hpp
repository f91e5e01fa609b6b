// The header of SYCL 1.2.1, whose namespace was cl::sycl. Deprecated: #include <sycl/sycl.hpp>.
#pragma once

#include "sycl/sycl.hpp"

namespace cl {
namespace sycl = ::sycl;
}
