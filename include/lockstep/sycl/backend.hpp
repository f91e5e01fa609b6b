// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Backends (SYCL 2020, section 4.5.1). The only backend is OpenCL (backend_interop.hpp). The names
// of DPC++'s other backends exist so that programs can compare with them.
#pragma once

#include "sycl/half.hpp"

#include <cstdint>
#include <iosfwd>

namespace sycl {

enum class backend : int {
  opencl,
  ext_oneapi_level_zero,
  ext_oneapi_cuda,
  ext_oneapi_hip,
  ext_oneapi_native_cpu,
  ext_oneapi_offload,
  all, // wildcard for all backends
};

// A template, so that this header need not include <ostream>.
template <class Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &to, backend which) {
  constexpr const char *names[] = {"opencl",
                                   "ext_oneapi_level_zero",
                                   "ext_oneapi_cuda",
                                   "ext_oneapi_hip",
                                   "ext_oneapi_native_cpu",
                                   "ext_oneapi_offload",
                                   "all"};
  return to << names[static_cast<int>(which)];
}

template <backend Backend> class backend_traits;

// OpenCL's scalar types (appendix C.7.1).
namespace opencl {
using cl_bool = bool;
using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_half = half;
using cl_float = float;
using cl_double = double;
} // namespace opencl

} // namespace sycl

#define SYCL_BACKEND_OPENCL 1
