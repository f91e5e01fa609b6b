// c = a * b, row-major; a is m x k, b is k x n. Local size TILE x TILE; sizes need not be multiples
// of TILE.
kernel void matrix_product(uint m, uint n, uint k, global const float *a, global const float *b, global float *c) {
  local float a_tile[TILE][TILE];
  local float b_tile[TILE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_global_id(0), row = get_global_id(1);

  float sum = 0.0f;
  for (uint start = 0; start < k; start += TILE) {
    // Each work-item loads one element of each tile; the group uses each element TILE times.
    // Outside of the matrix the tile contains 0, so the inner loop needs no test and all work-items
    // reach the barriers.
    a_tile[y][x] = row < m && start + x < k ? a[(size_t)row * k + start + x] : 0.0f;
    b_tile[y][x] = column < n && start + y < k ? b[(size_t)(start + y) * n + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete before they are used
    for (uint i = 0; i < TILE; ++i)
      sum += a_tile[y][i] * b_tile[i][x];
    barrier(CLK_LOCAL_MEM_FENCE); // all reads end before the next iteration overwrites the tiles
  }
  if (row < m && column < n)
    c[(size_t)row * n + column] = sum;
}
