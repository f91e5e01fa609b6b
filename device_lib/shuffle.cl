// shuffle and shuffle2 (OpenCL C 6.15.14), element by element. The mask is a constant in most
// programs, and then each element reduces to an element of the source. libclc has a switch over all
// elements for each element of the result: 512 cases for shuffle2 of float16, so that a kernel with
// a few calls takes seconds to compile.
#include "device_lib/lockstep_builtins.h"

#define AT_2(x, place) x[place.s0], x[place.s1]
#define AT_4(x, place) AT_2(x, place), x[place.s2], x[place.s3]
#define AT_8(x, place) AT_4(x, place), x[place.s4], x[place.s5], x[place.s6], x[place.s7]
#define AT_16(x, place)                                                                            \
  AT_8(x, place), x[place.s8], x[place.s9], x[place.sa], x[place.sb], x[place.sc], x[place.sd],    \
      x[place.se], x[place.sf]

// Only the lowest bits of the mask count, enough for an index into the sources. They are masked for
// all elements at once, and outside of a loop: LLVM makes that a permutation by a register.
#define SHUFFLE(type, mask_type, n, m)                                                             \
  BUILTIN PURE type##n shuffle(type##m x, mask_type##n mask) {                                     \
    const mask_type##n place = mask & (mask_type)(m - 1);                                          \
    return (type##n)(AT_##n(x, place));                                                            \
  }                                                                                                \
  BUILTIN PURE type##n shuffle2(type##m x, type##m y, mask_type##n mask) {                         \
    const type##n of_x = shuffle(x, mask), of_y = shuffle(y, mask);                                \
    return (mask & (mask_type)m) == (mask_type)0 ? of_x : of_y;                                    \
  }
#define SHUFFLES_TO(type, mask_type, n)                                                            \
  SHUFFLE(type, mask_type, n, 2)                                                                   \
  SHUFFLE(type, mask_type, n, 4)                                                                   \
  SHUFFLE(type, mask_type, n, 8)                                                                   \
  SHUFFLE(type, mask_type, n, 16)
#define SHUFFLES(type, mask_type)                                                                  \
  SHUFFLES_TO(type, mask_type, 2)                                                                  \
  SHUFFLES_TO(type, mask_type, 4)                                                                  \
  SHUFFLES_TO(type, mask_type, 8)                                                                  \
  SHUFFLES_TO(type, mask_type, 16)
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(half, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(float, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(double, ulong)
