// convert_half and its variants from every type in all rounding modes, and conversions from half to
// every type.
//
// Every half is representable as a float, so conversions from half use those from float. An integer
// is converted to float first. That is inexact only far beyond the largest half, where it does not
// matter.
#include "device_lib/half/half_rounding.h"

#define FROM_INTEGER(type, n, CAST)                                                                \
  BUILTIN PURE half##n convert_half##n(type##n x) {                                                \
    return CAST(half##n, x);                                                                       \
  }                                                                                                \
  FROM_INTEGER_ROUNDED(type, n, CAST, _rte)                                                        \
  FROM_INTEGER_ROUNDED(type, n, CAST, _rtz)                                                        \
  FROM_INTEGER_ROUNDED(type, n, CAST, _rtp)                                                        \
  FROM_INTEGER_ROUNDED(type, n, CAST, _rtn)
#define FROM_INTEGER_ROUNDED(type, n, CAST, rounding)                                              \
  BUILTIN PURE half##n convert_half##n##rounding(type##n x) {                                      \
    return as_half##n(halves##rounding(CAST(float##n, x)));                                        \
  }

#define FROM_REAL_ROUNDED(type, n, rounding)                                                       \
  BUILTIN PURE half##n convert_half##n##rounding(type##n x) {                                      \
    return as_half##n(halves##rounding(x));                                                        \
  }
#define FROM_REAL(type, n)                                                                         \
  FROM_REAL_ROUNDED(type, n, )                                                                     \
  FROM_REAL_ROUNDED(type, n, _rte)                                                                 \
  FROM_REAL_ROUNDED(type, n, _rtz)                                                                 \
  FROM_REAL_ROUNDED(type, n, _rtp)                                                                 \
  FROM_REAL_ROUNDED(type, n, _rtn)

#define TO_INTEGER_BY(type, n, how)                                                                \
  BUILTIN PURE type##n convert_##type##n##how(half##n x) {                                         \
    return convert_##type##n##how(widened(x));                                                     \
  }
#define TO_INTEGER(type, n)                                                                        \
  TO_INTEGER_BY(type, n, )                                                                         \
  TO_INTEGER_BY(type, n, _rte)                                                                     \
  TO_INTEGER_BY(type, n, _rtz)                                                                     \
  TO_INTEGER_BY(type, n, _rtp)                                                                     \
  TO_INTEGER_BY(type, n, _rtn)                                                                     \
  TO_INTEGER_BY(type, n, _sat)                                                              \
  TO_INTEGER_BY(type, n, _sat_rte)                                                          \
  TO_INTEGER_BY(type, n, _sat_rtz)                                                          \
  TO_INTEGER_BY(type, n, _sat_rtp)                                                          \
  TO_INTEGER_BY(type, n, _sat_rtn)

// Exact conversions: the rounding mode does not matter.
#define EXACT_BY(to, from, n, CAST, rounding)                                                      \
  BUILTIN PURE to##n convert_##to##n##rounding(from##n x) {                                        \
    return CAST(to##n, x);                                                                         \
  }
#define EXACT(to, from, n, CAST)                                                                   \
  EXACT_BY(to, from, n, CAST, )                                                                    \
  EXACT_BY(to, from, n, CAST, _rte)                                                                \
  EXACT_BY(to, from, n, CAST, _rtz)                                                                \
  EXACT_BY(to, from, n, CAST, _rtp)                                                                \
  EXACT_BY(to, from, n, CAST, _rtn)

#define OF_INTEGER(type, n, CAST)                                                                  \
  FROM_INTEGER(type, n, CAST)                                                                      \
  TO_INTEGER(type, n)
#define OF_WIDTH(n, CAST)                                                                          \
  OF_INTEGER(char, n, CAST)                                                                        \
  OF_INTEGER(uchar, n, CAST)                                                                       \
  OF_INTEGER(short, n, CAST)                                                                       \
  OF_INTEGER(ushort, n, CAST)                                                                      \
  OF_INTEGER(int, n, CAST)                                                                         \
  OF_INTEGER(uint, n, CAST)                                                                        \
  OF_INTEGER(long, n, CAST)                                                                        \
  OF_INTEGER(ulong, n, CAST)                                                                       \
  FROM_REAL(float, n)                                                                              \
  FROM_REAL(double, n)                                                                             \
  EXACT(half, half, n, CAST)                                                                       \
  EXACT(float, half, n, CAST)                                                                      \
  EXACT(double, half, n, CAST)

OF_WIDTH(, CAST_ONE)
OF_WIDTH(2, CAST_EACH)
OF_WIDTH(3, CAST_EACH)
OF_WIDTH(4, CAST_EACH)
OF_WIDTH(8, CAST_EACH)
OF_WIDTH(16, CAST_EACH)
