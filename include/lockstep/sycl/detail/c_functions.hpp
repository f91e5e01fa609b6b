// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Device versions of the <cmath> and <cstdlib> functions that have no builtin in OpenCL C, under
// their C names. They return integers or structures, or are synonyms of ldexp. The driver maps all
// other functions to builtins of the same name (tools/lockstep++/map_c_maths.h).
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include "sycl/math.hpp"

namespace sycl::detail::c_functions {

#define LOCKSTEP_FUNCTION(name, result, parameters, value)                                         \
  inline result of_##name parameters __asm__(#name);                                               \
  inline result of_##name parameters {                                                             \
    return value;                                                                                  \
  }
#define LOCKSTEP_FUNCTIONS(suffix, type)                                                           \
  LOCKSTEP_FUNCTION(scalbn##suffix, type, (type x, int n), sycl::ldexp(x, n))                      \
  LOCKSTEP_FUNCTION(scalbln##suffix, type, (type x, long n),                                       \
                    sycl::ldexp(x, n < -10000  ? -10000                                            \
                                   : n > 10000 ? 10000                                             \
                                               : int(n)))                                          \
  LOCKSTEP_FUNCTION(lround##suffix, long, (type x), long(sycl::round(x)))                          \
  LOCKSTEP_FUNCTION(llround##suffix, long long, (type x), (long long)(sycl::round(x)))             \
  LOCKSTEP_FUNCTION(lrint##suffix, long, (type x), long(sycl::rint(x)))                            \
  LOCKSTEP_FUNCTION(llrint##suffix, long long, (type x), (long long)(sycl::rint(x)))               \
  LOCKSTEP_FUNCTION(nan##suffix, type, (const char *), __builtin_nan##suffix(""))
LOCKSTEP_FUNCTIONS(, double)
LOCKSTEP_FUNCTIONS(f, float)

template <class T> struct division { // div_t, ldiv_t, lldiv_t
  T quotient, remainder;
};
LOCKSTEP_FUNCTION(div, division<int>, (int x, int y), (division<int>{x / y, x % y}))
LOCKSTEP_FUNCTION(ldiv, division<long>, (long x, long y), (division<long>{x / y, x % y}))
LOCKSTEP_FUNCTION(lldiv, division<long long>, (long long x, long long y),
                  (division<long long>{x / y, x % y}))
#undef LOCKSTEP_FUNCTIONS
#undef LOCKSTEP_FUNCTION

} // namespace sycl::detail::c_functions
#endif
