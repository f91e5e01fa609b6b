// As sobel.cl, of an image that is read through a sampler, which repeats the pixels at the edge.
#define PIXEL(dx, dy) ((int)read_imageui(from, edge, at + (int2)(dx, dy)).x)

kernel void sobel_image(read_only image2d_t from, write_only image2d_t to) {
  const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  const int2 at = (int2)(get_global_id(0) + 1, get_global_id(1) + 1);
  const int dx = (PIXEL(1, -1) + 2 * PIXEL(1, 0) + PIXEL(1, 1)) - (PIXEL(-1, -1) + 2 * PIXEL(-1, 0) + PIXEL(-1, 1));
  const int dy = (PIXEL(-1, 1) + 2 * PIXEL(0, 1) + PIXEL(1, 1)) - (PIXEL(-1, -1) + 2 * PIXEL(0, -1) + PIXEL(1, -1));
  write_imageui(to, at, (uint4)(min(abs(dx) + abs(dy), 255u)));
}
