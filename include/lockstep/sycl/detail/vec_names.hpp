// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of the elements and simple swizzles (SYCL 2020, section 4.14.2), for vec and for its
// swizzles.
#pragma once

// X(name, index, condition on Elements, the number of elements)
#define LOCKSTEP_VEC_ELEMENTS(X)                                                                   \
  X(x, 0, Elements <= 4)                                                                           \
  X(y, 1, Elements <= 4)                                                                           \
  X(z, 2, Elements <= 4)                                                                           \
  X(w, 3, Elements <= 4)                                                                           \
  X(r, 0, Elements == 4)                                                                           \
  X(g, 1, Elements == 4)                                                                           \
  X(b, 2, Elements == 4)                                                                           \
  X(a, 3, Elements == 4)                                                                           \
  X(s0, 0, true)                                                                                   \
  X(s1, 1, true)                                                                                   \
  X(s2, 2, true)                                                                                   \
  X(s3, 3, true)                                                                                   \
  X(s4, 4, true)                                                                                   \
  X(s5, 5, true)                                                                                   \
  X(s6, 6, true)                                                                                   \
  X(s7, 7, true)                                                                                   \
  X(s8, 8, true)                                                                                   \
  X(s9, 9, true)                                                                                   \
  X(sA, 10, true)                                                                                  \
  X(sB, 11, true)                                                                                  \
  X(sC, 12, true)                                                                                  \
  X(sD, 13, true)                                                                                  \
  X(sE, 14, true)                                                                                  \
  X(sF, 15, true)

// All names of two to four letters. X(name, condition on Elements, indices...)
#ifdef SYCL_SIMPLE_SWIZZLES
#define LOCKSTEP_XYZW_2(X, p, ...)                                                                 \
  X(p##x, Elements <= 4, __VA_ARGS__, 0)                                                           \
  X(p##y, Elements <= 4, __VA_ARGS__, 1)                                                           \
  X(p##z, Elements <= 4, __VA_ARGS__, 2)                                                           \
  X(p##w, Elements <= 4, __VA_ARGS__, 3)
#define LOCKSTEP_XYZW_3(X, p, ...)                                                                 \
  LOCKSTEP_XYZW_2(X, p, __VA_ARGS__)                                                               \
  LOCKSTEP_XYZW_2(X, p##x, __VA_ARGS__, 0)                                                         \
  LOCKSTEP_XYZW_2(X, p##y, __VA_ARGS__, 1)                                                         \
  LOCKSTEP_XYZW_2(X, p##z, __VA_ARGS__, 2)                                                         \
  LOCKSTEP_XYZW_2(X, p##w, __VA_ARGS__, 3)
#define LOCKSTEP_XYZW_4(X, p, index)                                                               \
  LOCKSTEP_XYZW_2(X, p, index)                                                                     \
  LOCKSTEP_XYZW_3(X, p##x, index, 0)                                                               \
  LOCKSTEP_XYZW_3(X, p##y, index, 1)                                                               \
  LOCKSTEP_XYZW_3(X, p##z, index, 2)                                                               \
  LOCKSTEP_XYZW_3(X, p##w, index, 3)
#define LOCKSTEP_RGBA_2(X, p, ...)                                                                 \
  X(p##r, Elements == 4, __VA_ARGS__, 0)                                                           \
  X(p##g, Elements == 4, __VA_ARGS__, 1)                                                           \
  X(p##b, Elements == 4, __VA_ARGS__, 2)                                                           \
  X(p##a, Elements == 4, __VA_ARGS__, 3)
#define LOCKSTEP_RGBA_3(X, p, ...)                                                                 \
  LOCKSTEP_RGBA_2(X, p, __VA_ARGS__)                                                               \
  LOCKSTEP_RGBA_2(X, p##r, __VA_ARGS__, 0)                                                         \
  LOCKSTEP_RGBA_2(X, p##g, __VA_ARGS__, 1)                                                         \
  LOCKSTEP_RGBA_2(X, p##b, __VA_ARGS__, 2)                                                         \
  LOCKSTEP_RGBA_2(X, p##a, __VA_ARGS__, 3)
#define LOCKSTEP_RGBA_4(X, p, index)                                                               \
  LOCKSTEP_RGBA_2(X, p, index)                                                                     \
  LOCKSTEP_RGBA_3(X, p##r, index, 0)                                                               \
  LOCKSTEP_RGBA_3(X, p##g, index, 1)                                                               \
  LOCKSTEP_RGBA_3(X, p##b, index, 2)                                                               \
  LOCKSTEP_RGBA_3(X, p##a, index, 3)
#define LOCKSTEP_VEC_SIMPLE_SWIZZLES(X)                                                            \
  LOCKSTEP_XYZW_4(X, x, 0)                                                                         \
  LOCKSTEP_XYZW_4(X, y, 1)                                                                         \
  LOCKSTEP_XYZW_4(X, z, 2)                                                                         \
  LOCKSTEP_XYZW_4(X, w, 3)                                                                         \
  LOCKSTEP_RGBA_4(X, r, 0)                                                                         \
  LOCKSTEP_RGBA_4(X, g, 1)                                                                         \
  LOCKSTEP_RGBA_4(X, b, 2)                                                                         \
  LOCKSTEP_RGBA_4(X, a, 3)
#else
#define LOCKSTEP_VEC_SIMPLE_SWIZZLES(X)
#endif
