// Integer functions (OpenCL C 6.15.3) that are wrong in libclc.
#include "device_lib/lockstep_builtins.h"

// Computes the upper half of a product from unsigned halves. libclc uses signed halves, for which
// LLVM 22 infers no-wrap flags that do not hold if one factor is a negative constant
// (mul_hi(7772568800528478361, x ? -2 : -3) becomes a constant).
BUILTIN PURE ulong mul_hi(ulong a, ulong b) {
  ulong a_low = a & 0xffffffff, a_high = a >> 32, b_low = b & 0xffffffff, b_high = b >> 32;
  ulong middle = a_high * b_low + (a_low * b_low >> 32);
  ulong other = a_low * b_high + (middle & 0xffffffff);
  return a_high * b_high + (middle >> 32) + (other >> 32);
}

BUILTIN PURE long mul_hi(long a, long b) {
  ulong high = mul_hi((ulong)a, (ulong)b);
  return (long)(high - (ulong)((a >> 63) & b) - (ulong)((b >> 63) & a));
}

#define VECTOR_OF(type, n, first, second)                                                          \
  BUILTIN PURE type##n mul_hi(type##n a, type##n b) {                                              \
    return (type##n)(mul_hi(a.first, b.first), mul_hi(a.second, b.second));                        \
  }
#define VECTOR(n, first, second)                                                                   \
  VECTOR_OF(long, n, first, second) VECTOR_OF(ulong, n, first, second)

VECTOR(2, x, y)
VECTOR(3, xy, z)
VECTOR(4, lo, hi)
VECTOR(8, lo, hi)
VECTOR(16, lo, hi)
#undef VECTOR

// The low 32 bits of 24-bit products. libclc multiplies signed integers, so LLVM assumes that x * x
// is not negative and that the product does not wrap.
#define LOW_24(type, x) ((type)(x) << 8 >> 8)
#define PRODUCTS(n)                                                                                \
  BUILTIN PURE int##n mul24(int##n a, int##n b) {                                                  \
    return __builtin_astype(__builtin_astype(LOW_24(int##n, a), uint##n) *                         \
                                __builtin_astype(LOW_24(int##n, b), uint##n),                      \
                            int##n);                                                               \
  }                                                                                                \
  BUILTIN PURE int##n mad24(int##n a, int##n b, int##n c) {                                        \
    return __builtin_astype(__builtin_astype(mul24(a, b), uint##n) + __builtin_astype(c, uint##n), \
                            int##n);                                                               \
  }

PRODUCTS()
PRODUCTS(2)
PRODUCTS(3)
PRODUCTS(4)
PRODUCTS(8)
PRODUCTS(16)
#undef PRODUCTS
#undef LOW_24

// The upper half plus a sum that wraps. libclc's sum is signed, and so is its product in mad_sat of
// int.
#define SUM(type, unsigned_type, a, b)                                                             \
  __builtin_astype(__builtin_astype(a, unsigned_type) + __builtin_astype(b, unsigned_type), type)
#define MAD_HI(n)                                                                                  \
  BUILTIN PURE int##n mul_hi(int##n a, int##n b);                                                  \
  BUILTIN PURE int##n mad_hi(int##n a, int##n b, int##n c) {                                       \
    return SUM(int##n, uint##n, mul_hi(a, b), c);                                                  \
  }                                                                                                \
  BUILTIN PURE long##n mad_hi(long##n a, long##n b, long##n c) {                                   \
    return SUM(long##n, ulong##n, mul_hi(a, b), c);                                                \
  }

MAD_HI()
MAD_HI(2)
MAD_HI(3)
MAD_HI(4)
MAD_HI(8)
MAD_HI(16)
#undef MAD_HI
#undef SUM

BUILTIN PURE int mad_sat(int a, int b, int c) {
  long sum = (long)a * b + c;
  return sum < INT_MIN ? INT_MIN : sum > INT_MAX ? INT_MAX : (int)sum;
}

// a * b + c, saturated: product and sum have 128 bits in two halves. libclc is wrong for products
// by zero.
BUILTIN PURE long mad_sat(long a, long b, long c) {
  ulong product = (ulong)a * (ulong)b;
  ulong low = product + (ulong)c;
  long carry = low < product;
  long high = mul_hi(a, b) + (c < 0 ? -1 : 0) + carry;
  if (high == ((long)low >> 63))
    return (long)low;
  return high < 0 ? LONG_MIN : LONG_MAX;
}

#undef VECTOR
#undef VECTOR_OF
#define VECTOR_OF(type, n, first, second)                                                          \
  BUILTIN PURE type##n mad_sat(type##n a, type##n b, type##n c) {                                  \
    return (type##n)(mad_sat(a.first, b.first, c.first), mad_sat(a.second, b.second, c.second));   \
  }
#define VECTOR(n, first, second) VECTOR_OF(int, n, first, second) VECTOR_OF(long, n, first, second)

VECTOR(2, x, y)
VECTOR(3, xy, z)
VECTOR(4, lo, hi)
VECTOR(8, lo, hi)
VECTOR(16, lo, hi)
