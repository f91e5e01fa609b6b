// Gradient of an 8-bit image with a border of one pixel.
kernel void sobel(uint pitch, global const uchar *from, global uchar *to) {
  const size_t at = (get_global_id(1) + 1) * pitch + get_global_id(0) + 1;
  global const uchar *up = from + at - pitch, *here = from + at, *down = from + at + pitch;
  const int dx = (up[1] + 2 * here[1] + down[1]) - (up[-1] + 2 * here[-1] + down[-1]);
  const int dy = (down[-1] + 2 * down[0] + down[1]) - (up[-1] + 2 * up[0] + up[1]);
  to[at] = min(abs(dx) + abs(dy), 255u);
}
