// Mistakes that people make, one kernel each, as they write them. mistakes_test.py has the advice
// that each report must end with.

// Several work-items update one counter.
kernel void count_positive(global const int *in, global int *count) {
  if (in[get_global_id(0)] > 0)
    *count += 1;
}

// A histogram in global memory, without atomics.
kernel void histogram(global const int *in, global int *bins) {
  int value = in[get_global_id(0)];
  bins[value & 15] += 1;
}

// The same in local memory, and the old value in a variable.
kernel void histogram_of_group(global const int *in, global int *bins) {
  local int own[16];
  int me = get_local_id(0);
  if (me < 16)
    own[me] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int bin = in[get_global_id(0)] & 15;
  int old = own[bin];
  own[bin] = old + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < 16)
    bins[get_group_id(0) * 16 + me] = own[me];
}

// A sum of floats in one element.
kernel void sum_of_floats(global const float *in, global float *sum) {
  sum[0] += in[get_global_id(0)];
}

// The largest value: the comparison and the write are two accesses.
kernel void largest(global const int *in, global int *most) {
  int x = in[get_global_id(0)];
  if (x > *most)
    *most = x;
}

// All groups write the same element.
kernel void last_index(global const int *in, global int *found) {
  if (in[get_global_id(0)] > 0)
    found[0] = get_global_id(0);
}

// No barrier after local memory is filled.
kernel void reverse_tile(global float *data, local float *tile) {
  int me = get_local_id(0), last = get_local_size(0) - 1;
  tile[me] = data[get_global_id(0)];
  data[get_global_id(0)] = tile[last - me];
}

// No barrier before local memory is filled again.
kernel void reused_tile(global const int *in, global int *out) {
  local int tile[64];
  int me = get_local_id(0), sum = 0;
  for (int i = 0; i < 4; ++i) {
    tile[me] = in[(i * 64 + get_global_id(0)) & 255];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[63 - me];
  }
  out[get_global_id(0)] = sum;
}

// A barrier with the flag of the other memory.
kernel void wrong_flag(global int *data, local int *tile) {
  int me = get_local_id(0);
  tile[me] = data[get_global_id(0)];
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] = tile[63 - me];
}

// A tree without a barrier in its loop.
kernel void tree_without_barrier(global const float *in, global float *out) {
  local float part[64];
  int me = get_local_id(0);
  part[me] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 32; s > 0; s >>= 1)
    if (me < s)
      part[me] += part[me + s];
  if (me == 0)
    out[get_group_id(0)] = part[0];
}

// The last steps are left to "one warp", which needs no barrier on some GPUs.
kernel void tree_of_one_warp(global const float *in, global float *out) {
  local float part[64];
  int me = get_local_id(0);
  part[me] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me < 32) {
    part[me] += part[me + 32];
    part[me] += part[me + 16];
    part[me] += part[me + 8];
  }
  if (me == 0)
    out[get_group_id(0)] = part[0];
}

// The last step of a reduction reads before the others have written.
kernel void last_step(global const int *in, global int *out) {
  local int part[64];
  int me = get_local_id(0);
  part[me] = in[get_global_id(0)];
  if (me == 0) {
    int sum = 0;
    for (int i = 0; i < 64; ++i)
      sum += part[i];
    out[get_group_id(0)] = sum;
  }
}

// A barrier in a branch.
kernel void barrier_in_branch(global int *data, local int *tile) {
  int me = get_local_id(0);
  if (me < 32) {
    tile[me] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  data[get_global_id(0)] = me;
}

// Some work-items leave before the barrier.
kernel void return_before_barrier(global int *data, int n, local int *tile) {
  int me = get_local_id(0);
  if (get_global_id(0) >= n)
    return;
  tile[me] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tile[me] + 1;
}

// The copy may not have arrived.
kernel void copy_without_wait(global const float *in, global float *out, local float *tile) {
  async_work_group_copy(tile, in + get_group_id(0) * 64, 64, 0);
  out[get_global_id(0)] = tile[get_local_id(0)];
}

// A flag between groups, relaxed and without fences.
kernel void flag_without_fence(global int *data, global atomic_int *flag) {
  if (get_local_id(0) != 0)
    return;
  if (get_group_id(0) == 0) {
    data[0] = 42;
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
  } else {
    while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0)
      ;
    data[get_group_id(0)] = data[0];
  }
}

// A stencil in place.
kernel void blur_in_place(global float *data) {
  size_t i = get_global_id(0), last = get_global_size(0) - 1;
  if (i > 0 && i < last)
    data[i] = (data[i - 1] + data[i] + data[i + 1]) / 3;
}

// Off by one.
kernel void off_by_one(global const int *in, global int *out) {
  size_t i = get_global_id(0);
  out[i] = in[i + 1] - in[i];
}

// `<=` in the guard.
kernel void wrong_guard(global int *out, int n) {
  int i = get_global_id(0);
  if (i <= n)
    out[i] = i;
}

// Local memory is never cleared.
kernel void uncleared(global const int *in, global int *out) {
  local int count;
  if (in[get_global_id(0)] > 0)
    atomic_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && count > 3)
    out[get_group_id(0)] = count;
}

// Lane 0 of each sub-group writes, all others read at once.
kernel void sub_group_in_step(global int *data, local int *first) {
  if (get_sub_group_local_id() == 0)
    first[get_sub_group_id()] = data[get_global_id(0)];
  data[get_global_id(0)] = first[get_sub_group_id()];
}

// As reused_tile, and the compiler cannot unroll the loop.
kernel void reused_tile_in_loop(global const int *in, global int *out, int n) {
  local int tile[64];
  int me = get_local_id(0), sum = 0;
  for (int i = 0; i < n; ++i) {
    tile[me] = in[(i * 64 + get_global_id(0)) & 255];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[63 - me];
  }
  out[get_global_id(0)] = sum;
}
