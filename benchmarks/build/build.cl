// A small kernel with a bit of everything: a loop, a branch, a builtin, local memory, a barrier.
kernel void small(global const float *from, global float *to, uint n, local float *line) {
  const size_t me = get_local_id(0), i = get_global_id(0);
  line[me] = from[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k)
    sum += line[(me + k) % get_local_size(0)];
  to[i] = sum > 0.0f ? sqrt(sum) : sum;
}
