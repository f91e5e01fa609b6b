// Rounds until |z| > 2, at most `most`.
kernel void mandelbrot(uint most, float left, float top, float step, global uint *rounds) {
  const float x = left + get_global_id(0) * step, y = top + get_global_id(1) * step;
  float a = 0.0f, b = 0.0f;
  uint i = 0;
  while (i < most && a * a + b * b <= 4.0f) {
    const float next = a * a - b * b + x;
    b = 2.0f * a * b + y;
    a = next;
    ++i;
  }
  rounds[get_global_id(1) * get_global_size(0) + get_global_id(0)] = i;
}
