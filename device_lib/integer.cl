// Integer functions (OpenCL C 6.15.3) that libclc has wrong.
#include "lockstep_builtins.h"

BUILTIN long mul_hi(long a, long b);

// a * b + c, saturated: the product and the sum in 128 bits, as two halves. libclc's saturates
// products by zero.
BUILTIN PURE long mad_sat(long a, long b, long c) {
  ulong product = (ulong)a * (ulong)b;
  ulong low = product + (ulong)c;
  long carry = low < product;
  long high = mul_hi(a, b) + (c < 0 ? -1 : 0) + carry;
  if (high == ((long)low >> 63))
    return (long)low;
  return high < 0 ? LONG_MIN : LONG_MAX;
}

#define VECTOR(n, first, second)                                                                   \
  BUILTIN PURE long##n mad_sat(long##n a, long##n b, long##n c) {                                  \
    return (long##n)(mad_sat(a.first, b.first, c.first), mad_sat(a.second, b.second, c.second));   \
  }

VECTOR(2, x, y)
VECTOR(3, xy, z)
VECTOR(4, lo, hi)
VECTOR(8, lo, hi)
VECTOR(16, lo, hi)
