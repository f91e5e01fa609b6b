// Edges of a gray picture (the Sobel operator), from an image and from a buffer. The image's
// sampler repeats the pixels at the edges; for the buffer, the kernel handles the edges itself.

constant sampler_t to_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

#define GRADIENT(GREY)                                                                             \
  float across = GREY(1, -1) - GREY(-1, -1) + 2 * (GREY(1, 0) - GREY(-1, 0)) + GREY(1, 1) -        \
                 GREY(-1, 1);                                                                      \
  float down = GREY(-1, 1) - GREY(-1, -1) + 2 * (GREY(0, 1) - GREY(0, -1)) + GREY(1, 1) -          \
               GREY(1, -1);                                                                        \
  float edge = sqrt(across * across + down * down) / 4;

#define OF_IMAGE(dx, dy) read_imagef(from, to_edge, at + (int2)(dx, dy)).x

kernel void sobel_image(read_only image2d_t from, write_only image2d_t to) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  GRADIENT(OF_IMAGE)
  write_imagef(to, at, edge);
}

#define OF_BUFFER(dx, dy)                                                                          \
  (from[clamp(y + (dy), 0, height - 1) * width + clamp(x + (dx), 0, width - 1)] / 255.0f)

kernel void sobel_buffer(global const uchar *from, global uchar *to, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  GRADIENT(OF_BUFFER)
  to[y * width + x] = convert_uchar_sat_rte(edge * 255);
}
