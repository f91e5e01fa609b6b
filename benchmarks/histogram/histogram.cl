#define BINS 256

kernel void in_global(global const uchar *values, uint n, global uint *bins) {
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&bins[values[i]]);
}

kernel void in_local(global const uchar *values, uint n, global uint *bins) {
  local uint mine[BINS];
  for (size_t i = get_local_id(0); i < BINS; i += get_local_size(0))
    mine[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&mine[values[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t i = get_local_id(0); i < BINS; i += get_local_size(0))
    atomic_add(&bins[i], mine[i]);
}
