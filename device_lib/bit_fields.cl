// cl_khr_extended_bit_ops: bit-fields of integers, and bit reversal.
//
// Offset and count are the same for all elements of a vector. In OpenCL C a shift by the full width
// is a shift by 0. So the code never shifts by it, and handles the mask without bits separately.
#include "device_lib/lockstep_builtins.h"

// Returns a mask of the lowest `count` bits, in an unsigned type.
#define MASK(type, bits)                                                                           \
  static PURE type low_bits_##type(uint count) {                                                   \
    return count == 0 ? (type)0 : (type)((type)~(type)0 >> (bits - count));                        \
  }
MASK(uchar, 8)
MASK(ushort, 16)
MASK(uint, 32)
MASK(ulong, 64)

#define INSERT(type, U, n)                                                                         \
  BUILTIN PURE type##n bitfield_insert(type##n base, type##n insert, uint offset, uint count) {    \
    const U mask = (U)(low_bits_##U(count) << offset);                                             \
    U##n shifted = __builtin_astype(insert, U##n) << (U##n)(U)offset;                              \
    return __builtin_astype(                                                                       \
        (U##n)((__builtin_astype(base, U##n) & (U##n)(U) ~mask) | (shifted & (U##n)mask)),         \
        type##n);                                                                                  \
  }
#define EXTRACT(type, T, U, bits, n)                                                               \
  BUILTIN PURE U##n bitfield_extract_unsigned(type##n base, uint offset, uint count) {             \
    return (U##n)(__builtin_astype(base, U##n) >> (U##n)(U)offset) & (U##n)low_bits_##U(count);    \
  }                                                                                                \
  BUILTIN PURE T##n bitfield_extract_signed(type##n base, uint offset, uint count) {               \
    const U above = (U)(bits - offset - count), outside = (U)(bits - count);                       \
    U##n top = (U##n)(__builtin_astype(base, U##n) << (U##n)above);                                \
    T##n field = (T##n)(__builtin_astype(top, T##n) >> (T##n)(T)outside);                          \
    return count == 0 ? (T##n)0 : field;                                                           \
  }
#define REVERSE(type, n)                                                                           \
  BUILTIN PURE type##n bit_reverse(type##n base) {                                                 \
    return __builtin_elementwise_bitreverse(base);                                                 \
  }

#define OF_WIDTH(T, U, bits, n)                                                                    \
  INSERT(T, U, n)                                                                                  \
  INSERT(U, U, n)                                                                                  \
  EXTRACT(T, T, U, bits, n)                                                                        \
  EXTRACT(U, T, U, bits, n)                                                                        \
  REVERSE(T, n)                                                                                    \
  REVERSE(U, n)
#define OF_TYPE(T, U, bits)                                                                        \
  OF_WIDTH(T, U, bits, )                                                                           \
  OF_WIDTH(T, U, bits, 2)                                                                          \
  OF_WIDTH(T, U, bits, 3)                                                                          \
  OF_WIDTH(T, U, bits, 4)                                                                          \
  OF_WIDTH(T, U, bits, 8)                                                                          \
  OF_WIDTH(T, U, bits, 16)

OF_TYPE(char, uchar, 8)
OF_TYPE(short, ushort, 16)
OF_TYPE(int, uint, 32)
OF_TYPE(long, ulong, 64)
