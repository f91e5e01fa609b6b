// vload_half, vstore_half and their variants (OpenCL C 6.15.7) in all rounding modes, for all
// address spaces.
#include "device_lib/half/half_rounding.h"

#define LOAD_ONE(space)                                                                            \
  BUILTIN float vload_half(size_t i, const space half *p) {                                        \
    return p[i];                                                                                   \
  }
#define STORE_ONE(rounding, space, type)                                                           \
  BUILTIN void vstore_half##rounding(type value, size_t i, space half *p) {                        \
    ((space short *)p)[i] = halves##rounding(value);                                               \
  }

// Vectors. The functions with an `a` in their name use the vector's own alignment.
#define UNALIGNED(n) short##n##_at_short
#define DECLARE_UNALIGNED(n) typedef short##n UNALIGNED(n) __attribute__((aligned(2)));
DECLARE_UNALIGNED(2)
DECLARE_UNALIGNED(4)
DECLARE_UNALIGNED(8)
DECLARE_UNALIGNED(16)

#define TO_FLOATS(n, value) CAST_EACH(float##n, as_half##n(value))
#define LOAD(n, space)                                                                             \
  BUILTIN float##n vload_half##n(size_t i, const space half *p) {                                  \
    return TO_FLOATS(n, *(const space UNALIGNED(n) *)(p + i * n));                                 \
  }                                                                                                \
  BUILTIN float##n vloada_half##n(size_t i, const space half *p) {                                 \
    return TO_FLOATS(n, *(const space short##n *)(p + i * n));                                     \
  }
#define STORE(rounding, space, type, n)                                                            \
  BUILTIN void vstore_half##n##rounding(type##n value, size_t i, space half *p) {                  \
    *(space UNALIGNED(n) *)(p + i * n) = halves##rounding(value);                                  \
  }                                                                                                \
  BUILTIN void vstorea_half##n##rounding(type##n value, size_t i, space half *p) {                 \
    *(space short##n *)(p + i * n) = halves##rounding(value);                                      \
  }

// Vectors of 3. With an `a` in the name they are 4 elements apart; only 3 elements may be accessed.
#define LOAD3(space)                                                                               \
  BUILTIN float3 vload_half3(size_t i, const space half *p) {                                      \
    p += i * 3;                                                                                    \
    return (float3)(p[0], p[1], p[2]);                                                             \
  }                                                                                                \
  BUILTIN float3 vloada_half3(size_t i, const space half *p) {                                     \
    p += i * 4;                                                                                    \
    return (float3)(p[0], p[1], p[2]);                                                             \
  }
#define STORE3_AT(name, distance, rounding, space, type)                                           \
  BUILTIN void name##rounding(type##3 value, size_t i, space half *p) {                            \
    space short *place = (space short *)p + i * distance;                                          \
    short3 bits = halves##rounding(value);                                                         \
    place[0] = bits.x;                                                                             \
    place[1] = bits.y;                                                                             \
    place[2] = bits.z;                                                                             \
  }

#define STORES_OF(rounding, space, type)                                                           \
  STORE_ONE(rounding, space, type)                                                                 \
  STORE(rounding, space, type, 2)                                                                  \
  STORE3_AT(vstore_half3, 3, rounding, space, type)                                                \
  STORE3_AT(vstorea_half3, 4, rounding, space, type)                                               \
  STORE(rounding, space, type, 4)                                                                  \
  STORE(rounding, space, type, 8)                                                                  \
  STORE(rounding, space, type, 16)
#define STORES(rounding, space)                                                                    \
  STORES_OF(rounding, space, float)                                                                \
  STORES_OF(rounding, space, double)
#define LOADS(space)                                                                               \
  LOAD_ONE(space)                                                                                  \
  LOAD(2, space)                                                                                   \
  LOAD3(space)                                                                                     \
  LOAD(4, space)                                                                                   \
  LOAD(8, space)                                                                                   \
  LOAD(16, space)
#define IN_MEMORY(space)                                                                           \
  LOADS(space)                                                                                     \
  STORES(, space)                                                                                  \
  STORES(_rte, space)                                                                              \
  STORES(_rtz, space)                                                                              \
  STORES(_rtp, space)                                                                              \
  STORES(_rtn, space)

IN_MEMORY(global)
IN_MEMORY(local)
IN_MEMORY(private)
IN_MEMORY(generic)
LOADS(constant)
