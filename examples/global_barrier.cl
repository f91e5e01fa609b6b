// Heat in a rod: each cell becomes the mean of its neighbors, step by step, in one launch.
//
// Each work-group owns a part of the rod, and reads the edge cells of its neighbors. So between
// steps, all groups must pass a barrier of the whole launch. Groups increment a counter; the last
// one sets `open` for all. Waiting for `open`, which changes once per step, is cheaper than
// watching the counter, which changes with every arrival.
void barrier_of_launch(global atomic_uint *arrived, global atomic_uint *open, uint step) {
  barrier(CLK_GLOBAL_MEM_FENCE); // all work-items of this group have written
  if (get_local_id(0) == 0) {
    const uint before = atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
    if (before + 1 == step * (uint)get_num_groups(0))
      atomic_store_explicit(open, step, memory_order_release, memory_scope_device);
  }
  while (atomic_load_explicit(open, memory_order_acquire, memory_scope_device) < step)
    ;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

float mean(global const float *cells, size_t i, size_t n) {
  return i == 0 || i + 1 == n ? cells[i] : (cells[i - 1] + cells[i + 1]) * 0.5f;
}

kernel void heat_in_one_launch(global float *a, global float *b, uint steps, global atomic_uint *arrived) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  for (uint step = 1; step <= steps; ++step) {
    b[i] = mean(a, i, n);
    barrier_of_launch(&arrived[0], &arrived[1], step);
    global float *swap = a;
    a = b;
    b = swap;
  }
}

kernel void heat_step(global const float *a, global float *b) {
  const size_t i = get_global_id(0);
  b[i] = mean(a, i, get_global_size(0));
}

// A kernel with nothing but the barrier.
kernel void meet(global atomic_uint *arrived, global uint *met) {
  const size_t group = get_group_id(0);
  atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
  while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) < (uint)get_num_groups(0))
    ;
  met[group] = 1;
}
