// c = a * b, n x n, row-major.
kernel void naive(uint n, global const float *a, global const float *b, global float *c) {
  const uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// Tiles of TILE_Y rows and TILE_X columns, the local size. 16 x 16 is the usual one; 1 x 64 shares one row of a.
#ifdef TILE_X
kernel void tiled(uint n, global const float *a, global const float *b, global float *c) {
  local float a_tile[TILE_Y][TILE_X];
  local float b_tile[TILE_X][TILE_X];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (uint start = 0; start < n; start += TILE_X) {
    a_tile[y][x] = a[row * n + start + x];
    for (uint i = y; i < TILE_X; i += TILE_Y)
      b_tile[i][x] = b[(start + i) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TILE_X; ++i)
      sum += a_tile[y][i] * b_tile[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
#endif

// Each work-item makes 4 rows of 4 columns in registers.
kernel void register_tile(uint n, global const float *a, global const float4 *b, global float4 *c) {
  const uint column = get_global_id(0), row = get_global_id(1) * 4, pitch = n / 4;
  float4 sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint k = 0; k < n; ++k) {
    const float4 of_b = b[k * pitch + column];
    for (uint i = 0; i < 4; ++i)
      sum[i] += a[(row + i) * n + k] * of_b;
  }
  for (uint i = 0; i < 4; ++i)
    c[(row + i) * pitch + column] = sum[i];
}

// Each work-item makes 4 rows of 16 columns, as kernels are written for CPUs whose compiler keeps such vectors.
kernel void float16_rows(uint n, global const float *a, global const float *b, global float *c) {
  const uint column = get_global_id(0) * 16, row = get_global_id(1) * 4;
  float16 sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint k = 0; k < n; ++k) {
    const float16 of_b = vload16(0, b + k * n + column);
    for (uint i = 0; i < 4; ++i)
      sum[i] += a[(row + i) * n + k] * of_b;
  }
  for (uint i = 0; i < 4; ++i)
    vstore16(sum[i], 0, c + (row + i) * n + column);
}

#ifdef SUB_GROUPS
// The lanes of a sub-group fetch a piece of a's row together and hand it round.
kernel void sub_group_broadcast_tile(uint n, global const float *a, global const float *b, global float *c) {
  const uint column = get_global_id(0), row = get_global_id(1);
  const uint width = get_sub_group_size(), lane = get_sub_group_local_id();
  float sum = 0.0f;
  for (uint start = 0; start < n; start += width) {
    const float of_a = a[row * n + start + lane];
    for (uint i = 0; i < width; ++i)
      sum += sub_group_broadcast(of_a, i) * b[(start + i) * n + column];
  }
  c[row * n + column] = sum;
}
#endif
