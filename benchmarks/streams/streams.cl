kernel void copy(global const float *a, global float *b) {
  size_t i = get_global_id(0);
  b[i] = a[i];
}

kernel void triad(global const float *a, global const float *b, float scale, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + scale * b[i];
}

kernel void saxpy(global const float4 *x, float scale, global const float4 *y, global float4 *z) {
  size_t i = get_global_id(0);
  z[i] = scale * x[i] + y[i];
}
