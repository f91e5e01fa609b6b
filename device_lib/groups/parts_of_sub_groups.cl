// For SYCL's groups that are parts of sub-groups (sycl_ext_oneapi_non_uniform_groups). `members` has a
// bit for each lane of the caller's group. All of them reach a call together, so their number does
// not matter here. Where lanes may come one by one, other functions replace these
// (nvidia/parts_of_sub_groups.cl).
#include "device_lib/groups/sub_group_primitives.h"

// The lanes of the group for which the predicate holds.
BUILTIN SUB_GROUP_FUNCTION uint4 sub_group_ballot_of_part(ulong members, int predicate) {
  const ulong bits = ballot(predicate != 0) & members;
  return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0);
}
// The value of a member; any value if the lane is not one.
BUILTIN SUB_GROUP_FUNCTION uint sub_group_shuffle_in_part(ulong members, uint value, uint lane) {
  return take_lane(value, lane);
}
// The lanes that come to the call together.
BUILTIN SUB_GROUP_FUNCTION uint4 sub_group_tangle(void) {
  const ulong bits = ballot(true);
  return (uint4)((uint)bits, (uint)(bits >> 32), 0, 0);
}
// Only memory order is left to establish. The checker treats it as a barrier of the active lanes.
BUILTIN void part_of_sub_group_barrier(ulong members) {
  __c11_atomic_thread_fence(memory_order_acq_rel);
}
BUILTIN void part_of_sub_group_barrier(void) { // of programs from before the one above
  __c11_atomic_thread_fence(memory_order_acq_rel);
}
