// Three experiments on how many work-items execute in lockstep. items_in_step.cpp explains what
// they show.

// Each work-item draws two numbered tickets from a counter of its work-group.
kernel void draw_tickets(global uint *first, global uint *second) {
  local uint counter;
  const size_t i = get_global_id(0);
  if (get_local_id(0) == 0)
    counter = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  first[i] = atomic_inc(&counter);
  second[i] = atomic_inc(&counter);
}

// Blocks of `block` neighbors alternate between two long computations that no compiler can merge.
// Both are dependency chains, with different constants.
kernel void take_sides(uint block, uint steps, global uint *result) {
  const size_t i = get_global_id(0);
  uint value = i;
  if (get_local_id(0) / block % 2)
    for (uint step = 0; step < steps; ++step)
      value = (value ^ value >> 15) * 0x2c1b3c6du;
  else
    for (uint step = 0; step < steps; ++step)
      value = (value ^ value >> 12) * 0x297a2d39u;
  result[i] = value;
}

// The first work-item polls, a limited number of times, whether the one at `distance` has set a
// flag. If both execute in lockstep, it never sees the flag: the other one sets it only after the
// last poll.
kernel void look_for_a_while(uint distance, uint rounds, global uint *seen) {
  local volatile int flag;
  const size_t me = get_local_id(0);
  if (me == 0)
    flag = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me == 0) {
    uint sees = 0;
    for (uint round = 0; round < rounds; ++round)
      if (flag == -1) {
        sees = 1;
        break;
      }
    seen[get_group_id(0)] = sees;
  } else if (me == distance) {
    flag = -1;
  }
}
