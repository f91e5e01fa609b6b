typedef struct {
  int first;
  float second;
} Pair;

// Reverses each work-group's part, so it needs its barrier.
kernel void reverse(global int *data, local int *copy) {
  size_t i = get_local_id(0), n = get_local_size(0);
  copy[i] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = copy[n - 1 - i];
}

kernel void fill(global float4 *out, Pair pair, float4 add, uchar narrow, ulong wide) {
  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  out[i] = (float4)(pair.first, pair.second, narrow, wide) + add;
}
