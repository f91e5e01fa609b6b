// convert_T_sat from float and double in all rounding modes. libclc's versions are undefined in
// LLVM for NaN, and their result in lanes depends on the instruction; these return 0.
#include "device_lib/lockstep_builtins.h"

#define INTRINSIC(type, source, name)                                                              \
  PURE type to_##type##_from_##source(source x) __asm("llvm.fpto" name)
#define INTRINSICS(type, kind, bits)                                                               \
  INTRINSIC(type, float, kind "i.sat.i" bits ".f32");                                              \
  INTRINSIC(type, double, kind "i.sat.i" bits ".f64");
INTRINSICS(char, "s", "8")
INTRINSICS(uchar, "u", "8")
INTRINSICS(short, "s", "16")
INTRINSICS(ushort, "u", "16")
INTRINSICS(int, "s", "32")
INTRINSICS(uint, "u", "32")
INTRINSICS(long, "s", "64")
INTRINSICS(ulong, "u", "64")

#define SCALAR(type, source, how, rounded)                                                         \
  BUILTIN PURE type convert_##type##_sat##how(source x) {                                          \
    return to_##type##_from_##source(rounded(x));                                                  \
  }
#define VECTOR(type, source, how, n, half_n, first, second)                                        \
  BUILTIN PURE type##n convert_##type##n##_sat##how(source##n x) {                                 \
    return (type##n)(convert_##type##half_n##_sat##how(x.first),                                   \
                     convert_##type##half_n##_sat##how(x.second));                                 \
  }
#define VECTOR3(type, source, how)                                                                 \
  BUILTIN PURE type##3 convert_##type##3_sat##how(source##3 x) {                                   \
    return (type##3)(convert_##type##2_sat##how(x.xy), convert_##type##_sat##how(x.z));            \
  }
#define EVERY_WIDTH(type, source, how, rounded)                                                    \
  SCALAR(type, source, how, rounded)                                                               \
  VECTOR(type, source, how, 2, , x, y)                                                             \
  VECTOR3(type, source, how)                                                                       \
  VECTOR(type, source, how, 4, 2, lo, hi)                                                          \
  VECTOR(type, source, how, 8, 4, lo, hi)                                                          \
  VECTOR(type, source, how, 16, 8, lo, hi)
#define EVERY_ROUNDING(type, source)                                                               \
  EVERY_WIDTH(type, source, , )                                                                    \
  EVERY_WIDTH(type, source, _rtz, )                                                                \
  EVERY_WIDTH(type, source, _rte, rint)                                                            \
  EVERY_WIDTH(type, source, _rtp, ceil)                                                            \
  EVERY_WIDTH(type, source, _rtn, floor)
#define OF_TYPE(type)                                                                              \
  EVERY_ROUNDING(type, float)                                                                      \
  EVERY_ROUNDING(type, double)

OF_TYPE(char)
OF_TYPE(uchar)
OF_TYPE(short)
OF_TYPE(ushort)
OF_TYPE(int)
OF_TYPE(uint)
OF_TYPE(long)
OF_TYPE(ulong)
