// Launches that do not end, each in another way.

// Two work-groups undo each other's work.
kernel void livelock(global atomic_uint *turn) {
  while (true) {
    atomic_fetch_add(turn, 1u);
    if (atomic_load(turn) == 0xffffffffu)
      break;
  }
}

// All but the first wait for it, and it counts.
kernel void waits_for_first(global atomic_uint *flag) {
  if (get_group_id(0) != 0)
    while (atomic_load(flag) == 0) // here
      ;
  for (ulong i = 0; i != 1ul << 60 && atomic_load(flag + 1) == 0; ++i)
    ;
  atomic_store(flag, 1u);
}

// No work-group waits for another one.
kernel void long_work(global float *x, ulong rounds) {
  float y = x[get_global_id(0)];
  for (ulong i = 0; i < rounds; ++i)
    y = y * y + 0.5f;
  x[get_global_id(0)] = y;
}

// Waits for what nobody writes, and calls a function that writes.
void note(global uint *seen, uint value) {
  seen[get_group_id(0)] = value;
}
kernel void waits_and_notes(global atomic_uint *flag, global uint *seen) {
  uint value;
  while ((value = atomic_load(flag)) == 0)
    note(seen, value);
}
