// One step of Jacobi's method on a grid with a border of one: the mean of four neighbors.
kernel void plain(uint pitch, global const float *from, global float *to) {
  const size_t at = (get_global_id(1) + 1) * pitch + get_global_id(0) + 1;
  to[at] = 0.25f * ((from[at - 1] + from[at + 1]) + (from[at - pitch] + from[at + pitch]));
}

// Eight at once, in vectors of the work-item's own.
kernel void by_float8(uint pitch, global const float *from, global float *to) {
  const size_t at = (get_global_id(1) + 1) * pitch + get_global_id(0) * 8 + 1;
  vstore8(0.25f * ((vload8(0, from + at - 1) + vload8(0, from + at + 1)) +
                   (vload8(0, from + at - pitch) + vload8(0, from + at + pitch))),
          0, to + at);
}

// The same through local memory: a tile with its border.
#define X 16
#define Y 16
kernel void tiled(uint pitch, global const float *from, global float *to) {
  local float tile[Y + 2][X + 2];
  const uint x = get_local_id(0) + 1, y = get_local_id(1) + 1;
  const size_t at = (get_global_id(1) + 1) * pitch + get_global_id(0) + 1;
  tile[y][x] = from[at];
  if (x == 1)
    tile[y][0] = from[at - 1];
  if (x == X)
    tile[y][X + 1] = from[at + 1];
  if (y == 1)
    tile[0][x] = from[at - pitch];
  if (y == Y)
    tile[Y + 1][x] = from[at + pitch];
  barrier(CLK_LOCAL_MEM_FENCE);
  to[at] = 0.25f * ((tile[y][x - 1] + tile[y][x + 1]) + (tile[y - 1][x] + tile[y + 1][x]));
}
