kernel void plain(uint n, global const float *from, global float *to) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  to[x * n + y] = from[y * n + x];
}

// Rows in, rows out: the corner is turned in local memory. The odd pitch spares GPUs their bank conflicts.
#define TILE 16
kernel void tiled(uint n, global const float *from, global float *to) {
  local float tile[TILE][TILE + 1];
  const size_t x = get_local_id(0), y = get_local_id(1);
  tile[y][x] = from[get_global_id(1) * n + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  to[(get_group_id(0) * TILE + y) * n + get_group_id(1) * TILE + x] = tile[x][y];
}
