// cl_khr_subgroup_shuffle, cl_khr_subgroup_shuffle_relative, cl_khr_subgroup_rotate, and the
// shuffles and block accesses of cl_intel_subgroups. image_blocks.cl has the block accesses of
// images.
#include "device_lib/groups/sub_group_primitives.h"

// Adds delta to the lane number, modulo the cluster's size.
static uint rotated(int delta, uint cluster) {
  uint inside = cluster - 1;
  return (own_lane() & ~inside) | ((own_lane() + (uint)delta) & inside);
}

#define SHUFFLES(type, kind, moved, bits, computed, number)                                        \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_shuffle(type value, uint lane) {                       \
    return take_lane(value, lane);                                                                 \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_shuffle_xor(type value, uint mask) {                   \
    return take_lane(value, own_lane() ^ mask);                                                    \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_shuffle_up(type value, uint delta) {                   \
    return take_lane(value, own_lane() - delta);                                                   \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_shuffle_down(type value, uint delta) {                 \
    return take_lane(value, own_lane() + delta);                                                   \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_rotate(type value, int delta) {                        \
    return take_lane(value, own_lane() + (uint)delta);                                             \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_clustered_rotate(type value, int delta,                \
                                                             uint cluster) {                       \
    return take_lane(value, rotated(delta, cluster));                                              \
  }
SCALAR_TYPES(SHUFFLES)
HALF_TYPES(SHUFFLES)

// ---- cl_intel_subgroups: two sources, as if the sub-group had twice as many lanes ----

#define INTEL_SHUFFLES(type, kind, moved, bits, computed, number)                                  \
  BUILTIN SUB_GROUP_FUNCTION type intel_sub_group_shuffle(type value, uint lane) {                 \
    return take_lane(value, lane);                                                                 \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type intel_sub_group_shuffle_xor(type value, uint mask) {             \
    return take_lane(value, own_lane() ^ mask);                                                    \
  }                                                                                                \
  static SUB_GROUP_FUNCTION BUILTIN type take_of_two(type first, type second, uint lane) {         \
    type of_first = take_lane(first, lane), of_second = take_lane(second, lane);                   \
    return lane < __lockstep_sub_group_width() ? of_first : of_second;                             \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type intel_sub_group_shuffle_down(type current, type next,            \
                                                               uint delta) {                       \
    return take_of_two(current, next, own_lane() + delta);                                         \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type intel_sub_group_shuffle_up(type previous, type current,          \
                                                             uint delta) {                         \
    return take_of_two(previous, current, own_lane() + __lockstep_sub_group_width() - delta);      \
  }
INTEL_SHUFFLES(int, s, i32, uint, i32, uint)
INTEL_SHUFFLES(uint, u, i32, uint, i32, uint)
INTEL_SHUFFLES(long, s, i64, ulong, i64, ulong)
INTEL_SHUFFLES(ulong, u, i64, ulong, i64, ulong)
INTEL_SHUFFLES(float, f, i32, uint, f32, float)
INTEL_SHUFFLES(double, f, i64, ulong, f64, double)
HALF_TYPES(INTEL_SHUFFLES)

#define TWO_SOURCES(name, type, width, first, second)                                              \
  BUILTIN SUB_GROUP_FUNCTION type##width name(type##width a, type##width b, uint delta) {          \
    return (type##width)(name(a.first, b.first, delta), name(a.second, b.second, delta));          \
  }
#define TWO_SOURCES_OF_3(name, type)                                                               \
  BUILTIN SUB_GROUP_FUNCTION type##3 name(type##3 a, type##3 b, uint delta) {                      \
    return (type##3)(name(a.xy, b.xy, delta), name(a.z, b.z, delta));                              \
  }
#define EVERY_TWO_SOURCES(name, type)                                                              \
  TWO_SOURCES(name, type, 2, x, y)                                                                 \
  TWO_SOURCES_OF_3(name, type)                                                                     \
  TWO_SOURCES(name, type, 4, lo, hi)                                                               \
  TWO_SOURCES(name, type, 8, lo, hi)                                                               \
  TWO_SOURCES(name, type, 16, lo, hi)
#define INTEL_VECTOR_SHUFFLES(type)                                                                \
  BY_ELEMENTS(intel_sub_group_shuffle, type, intel_sub_group_shuffle)                              \
  BY_ELEMENTS(intel_sub_group_shuffle_xor, type, intel_sub_group_shuffle_xor)                      \
  EVERY_TWO_SOURCES(intel_sub_group_shuffle_down, type)                                            \
  EVERY_TWO_SOURCES(intel_sub_group_shuffle_up, type)
INTEL_VECTOR_SHUFFLES(int)
INTEL_VECTOR_SHUFFLES(uint)
INTEL_VECTOR_SHUFFLES(float)

// Neighboring lanes access neighboring elements. The pointer is uniform, so the accesses are
// contiguous.
static inline SUB_GROUP_FUNCTION uint block_element(const global uint *p, uint index) {
  return p[index * __lockstep_sub_group_width() + own_lane()];
}
static inline SUB_GROUP_FUNCTION void set_block_element(global uint *p, uint index, uint data) {
  p[index * __lockstep_sub_group_width() + own_lane()] = data;
}
BUILTIN SUB_GROUP_FUNCTION uint intel_sub_group_block_read(const global uint *p) {
  return block_element(p, 0);
}
BUILTIN SUB_GROUP_FUNCTION uint2 intel_sub_group_block_read2(const global uint *p) {
  return (uint2)(block_element(p, 0), block_element(p, 1));
}
BUILTIN SUB_GROUP_FUNCTION uint4 intel_sub_group_block_read4(const global uint *p) {
  return (uint4)(block_element(p, 0), block_element(p, 1), block_element(p, 2),
                 block_element(p, 3));
}
BUILTIN SUB_GROUP_FUNCTION uint8 intel_sub_group_block_read8(const global uint *p) {
  return (uint8)(block_element(p, 0), block_element(p, 1), block_element(p, 2), block_element(p, 3),
                 block_element(p, 4), block_element(p, 5), block_element(p, 6),
                 block_element(p, 7));
}
BUILTIN SUB_GROUP_FUNCTION void intel_sub_group_block_write(global uint *p, uint data) {
  set_block_element(p, 0, data);
}
BUILTIN SUB_GROUP_FUNCTION void intel_sub_group_block_write2(global uint *p, uint2 data) {
  set_block_element(p, 0, data.x);
  set_block_element(p, 1, data.y);
}
BUILTIN SUB_GROUP_FUNCTION void intel_sub_group_block_write4(global uint *p, uint4 data) {
  for (uint i = 0; i < 4; ++i)
    set_block_element(p, i, data[i]);
}
BUILTIN SUB_GROUP_FUNCTION void intel_sub_group_block_write8(global uint *p, uint8 data) {
  for (uint i = 0; i < 8; ++i)
    set_block_element(p, i, data[i]);
}
