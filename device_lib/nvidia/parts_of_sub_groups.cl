// The functions of groups/parts_of_sub_groups.cl for NVIDIA GPUs, where the members of a group may come
// to a call one by one: each call waits for the members that have not ended. Compiled for spir64, as
// the rest of the device library; primitives.c defines the functions of instructions.
#define BUILTIN __attribute__((overloadable, convergent))
#define OPERATION __attribute__((convergent, nomerge, const))

OPERATION uint lockstep_nvidia_ballot_of_part(uint members, uint predicate);
OPERATION uint lockstep_nvidia_shuffle_in_part(uint members, uint value, uint lane);
__attribute__((convergent, nomerge)) void lockstep_nvidia_barrier_of_part(uint members);
// name-tangled-lanes replaces the calls. Not const: the result depends on where the call is.
__attribute__((convergent, nomerge)) uint lockstep_nvidia_tangle(void);

BUILTIN uint4 sub_group_ballot_of_part(ulong members, int predicate) {
  return (uint4)(lockstep_nvidia_ballot_of_part((uint)members, predicate != 0), 0, 0, 0);
}
BUILTIN uint sub_group_shuffle_in_part(ulong members, uint value, uint lane) {
  return lockstep_nvidia_shuffle_in_part((uint)members, value, lane);
}
BUILTIN void part_of_sub_group_barrier(ulong members) {
  lockstep_nvidia_barrier_of_part((uint)members);
}
BUILTIN uint4 sub_group_tangle(void) {
  return (uint4)(lockstep_nvidia_tangle(), 0, 0, 0);
}
