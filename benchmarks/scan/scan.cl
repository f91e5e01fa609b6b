// Exclusive prefix sum of each work-group's piece, by Blelloch's up-sweep and down-sweep: two elements per work-item.
kernel void blelloch(global const int *from, global int *to, local int *temp) {
  const uint me = get_local_id(0), n = 2 * get_local_size(0);
  const size_t base = get_group_id(0) * n;
  temp[2 * me] = from[base + 2 * me];
  temp[2 * me + 1] = from[base + 2 * me + 1];
  uint offset = 1;
  for (uint active = n / 2; active > 0; active /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < active)
      temp[offset * (2 * me + 2) - 1] += temp[offset * (2 * me + 1) - 1];
    offset *= 2;
  }
  if (me == 0)
    temp[n - 1] = 0;
  for (uint active = 1; active < n; active *= 2) {
    offset /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < active) {
      const uint left = offset * (2 * me + 1) - 1, right = offset * (2 * me + 2) - 1;
      const int t = temp[left];
      temp[left] = temp[right];
      temp[right] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  to[base + 2 * me] = temp[2 * me];
  to[base + 2 * me + 1] = temp[2 * me + 1];
}
