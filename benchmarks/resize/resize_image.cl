// A picture in another size, from the four nearest pixels each, as a sampler does it.
kernel void resize_image(read_only image2d_t from, write_only image2d_t to) {
  const sampler_t bilinear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const float2 scale = (float2)((float)get_image_width(from) / get_image_width(to),
                                (float)get_image_height(from) / get_image_height(to));
  write_imagef(to, at, read_imagef(from, bilinear, (convert_float2(at) + 0.5f) * scale));
}
