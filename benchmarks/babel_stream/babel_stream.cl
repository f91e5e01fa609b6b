// BabelStream's five kernels on arrays of double. The arrays hold exact values, so sums of two and products with 0.5 are exact.
kernel void init(global double *a, global double *b, global double *c) {
  const size_t i = get_global_id(0);
  a[i] = 1.0 + (double)(i % 1024) * 0x1p-10;
  b[i] = 2.0 - (double)(i % 512) * 0x1p-9;
  c[i] = 0.5 + (double)(i % 256) * 0x1p-8;
}

kernel void copy(global const double *a, global double *c) {
  const size_t i = get_global_id(0);
  c[i] = a[i];
}

kernel void mul(global double *b, global const double *c) {
  const double scalar = 0.5;
  const size_t i = get_global_id(0);
  b[i] = scalar * c[i];
}

kernel void add(global const double *a, global const double *b, global double *c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

kernel void triad(global double *a, global const double *b, global const double *c) {
  const double scalar = 0.5;
  const size_t i = get_global_id(0);
  a[i] = b[i] + scalar * c[i];
}

// One sum for each work-group; the host adds them.
kernel void dot_product(global const double *a, global const double *b, global double *sums, local double *tree, ulong n) {
  const size_t item = get_local_id(0);
  double sum = 0.0;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    sum += a[i] * b[i];
  tree[item] = sum;
  for (size_t width = get_local_size(0) / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width)
      tree[item] += tree[item + width];
  }
  if (item == 0)
    sums[get_group_id(0)] = tree[0];
}
