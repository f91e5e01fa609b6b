// cl_khr_subgroup_ballot: a predicate of each lane as bits. Sub-groups have at most 64 lanes, so
// the upper half of the vector is always 0.
#include "device_lib/groups/sub_group_primitives.h"

static uint4 to_vector(ulong bits) {
  return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0);
}
static ulong to_bits(uint4 vector) {
  return ((ulong)vector.y << 32) | vector.x;
}

BUILTIN SUB_GROUP_FUNCTION uint4 sub_group_ballot(int predicate) {
  return to_vector(ballot(predicate != 0));
}
BUILTIN PURE int sub_group_inverse_ballot(uint4 value) {
  return (int)(to_bits(value) >> own_lane()) & 1;
}
BUILTIN PURE int sub_group_ballot_bit_extract(uint4 value, uint index) {
  return (int)(to_bits(value) >> (index & 63)) & 1;
}
BUILTIN PURE uint sub_group_ballot_bit_count(uint4 value) {
  return (uint)popcount(to_bits(value) & whole_mask());
}
BUILTIN PURE uint sub_group_ballot_inclusive_scan(uint4 value) {
  return (uint)popcount(to_bits(value) & (2ul * lanes_below() + 1));
}
BUILTIN PURE uint sub_group_ballot_exclusive_scan(uint4 value) {
  return (uint)popcount(to_bits(value) & lanes_below());
}
BUILTIN PURE uint sub_group_ballot_find_lsb(uint4 value) {
  return (uint)ctz(to_bits(value) & whole_mask());
}
BUILTIN PURE uint sub_group_ballot_find_msb(uint4 value) {
  return 63 - (uint)clz(to_bits(value) & whole_mask());
}

BUILTIN PURE uint4 get_sub_group_eq_mask(void) {
  return to_vector(1ul << own_lane());
}
BUILTIN PURE uint4 get_sub_group_ge_mask(void) {
  return to_vector(whole_mask() & ~lanes_below());
}
BUILTIN PURE uint4 get_sub_group_gt_mask(void) {
  return to_vector(whole_mask() & ~(2ul * lanes_below() + 1));
}
BUILTIN PURE uint4 get_sub_group_le_mask(void) {
  return to_vector(2ul * lanes_below() + 1);
}
BUILTIN PURE uint4 get_sub_group_lt_mask(void) {
  return to_vector(lanes_below());
}
