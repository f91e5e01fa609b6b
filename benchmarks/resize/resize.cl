// A picture in another size, from the four nearest pixels each.
float4 pixel(global const uchar4 *from, int n, int x, int y) {
  return convert_float4(from[clamp(y, 0, n - 1) * n + clamp(x, 0, n - 1)]);
}

kernel void resize_buffer(global const uchar4 *from, int n, global uchar4 *to, int m) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const float2 place = (convert_float2(at) + 0.5f) * ((float)n / m) - 0.5f;
  const int2 first = convert_int2(floor(place));
  const float2 part = place - floor(place);
  const float4 above = mix(pixel(from, n, first.x, first.y), pixel(from, n, first.x + 1, first.y), part.x);
  const float4 below = mix(pixel(from, n, first.x, first.y + 1), pixel(from, n, first.x + 1, first.y + 1), part.x);
  to[at.y * m + at.x] = convert_uchar4_sat_rte(mix(above, below, part.y));
}
