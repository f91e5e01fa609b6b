// The algorithms of ISPC's example programs, one work-item for each element.

kernel void mandelbrot(float x0, float y0, float dx, float dy, int most, global int *counts) {
  const int i = get_global_id(0), j = get_global_id(1);
  const float re = x0 + i * dx, im = y0 + j * dy;
  float x = re, y = im;
  int count;
  for (count = 0; count < most && x * x + y * y <= 4.0f; ++count) {
    const float next = re + (x * x - y * y);
    y = im + 2.0f * x * y;
    x = next;
  }
  counts[j * get_global_size(0) + i] = count;
}

// Abramowitz and Stegun, 26.2.17.
float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
  const float tail = 0.39894228f * exp(-0.5f * x * x) * k *
                     (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return x > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *spot, global const float *strike, global const float *years,
                          global const float *rate, global const float *volatility, global float *price) {
  const int i = get_global_id(0);
  const float s = spot[i], x = strike[i], t = years[i], r = rate[i], v = volatility[i];
  const float d1 = (log(s / x) + (r + 0.5f * v * v) * t) / (v * sqrt(t));
  price[i] = s * normal(d1) - x * exp(-r * t) * normal(d1 - v * sqrt(t));
}

// A put option by a binomial tree, whose values before the end are kept in private memory.
#define STEPS 64
kernel void binomial(global const float *spot, global const float *strike, global const float *years,
                     global const float *rate, global const float *volatility, global float *price) {
  const int i = get_global_id(0);
  const float s = spot[i], x = strike[i], dt = years[i] / STEPS;
  const float up = exp(volatility[i] * sqrt(dt)), down = 1.0f / up, growth = exp(rate[i] * dt);
  const float p = (growth - down) / (up - down);
  float value[STEPS];
  for (int j = 0; j < STEPS; ++j)
    value[j] = max(0.0f, x - s * pow(up, (float)(2 * j - STEPS)));
  for (int j = STEPS - 1; j >= 0; --j)
    for (int k = 0; k < j; ++k)
      value[k] = ((1.0f - p) * value[k] + p * value[k + 1]) / growth;
  price[i] = value[0];
}

// One step of a wave equation, of order six in space; the border of three is left alone.
kernel void stencil(float4 c, global const float *speed, global const float *now, global float *next, int width, int plane) {
  const int at = (get_global_id(2) + 3) * plane + (get_global_id(1) + 3) * width + get_global_id(0) + 3;
#define AROUND(d) (now[at + d] + now[at - d] + now[at + d * width] + now[at - d * width] + now[at + d * plane] + now[at - d * plane])
  const float sum = c.x * now[at] + c.y * AROUND(1) + c.z * AROUND(2) + c.w * AROUND(3);
  next[at] = 2.0f * now[at] - next[at] + speed[at] * sum;
}

// Perlin's noise; `order` is twice a permutation of 0 to 255.
float slope(global const int *order, int x, int y, int z, float dx, float dy, float dz) {
  const int h = order[order[order[x] + y] + z] & 15;
  const float u = h < 8 || h == 12 || h == 13 ? dx : dy, v = h < 4 || h == 12 || h == 13 ? dy : dz;
  return (h & 1 ? -u : u) + (h & 2 ? -v : v);
}

float weight(float t) {
  return t * t * t * (10.0f + t * (6.0f * t - 15.0f));
}

float noise(global const int *order, float x, float y, float z) {
  const float fx = floor(x), fy = floor(y), fz = floor(z);
  const int ix = (int)fx & 255, iy = (int)fy & 255, iz = (int)fz & 255;
  const float dx = x - fx, dy = y - fy, dz = z - fz, wx = weight(dx), wy = weight(dy);
  float side[2];
  for (int k = 0; k < 2; ++k) {
    const float low = mix(slope(order, ix, iy, iz + k, dx, dy, dz - k), slope(order, ix + 1, iy, iz + k, dx - 1, dy, dz - k), wx);
    const float high =
        mix(slope(order, ix, iy + 1, iz + k, dx, dy - 1, dz - k), slope(order, ix + 1, iy + 1, iz + k, dx - 1, dy - 1, dz - k), wx);
    side[k] = mix(low, high, wy);
  }
  return mix(side[0], side[1], weight(dz));
}

kernel void turbulence(global const int *order, float x0, float y0, float dx, float dy, global float *to) {
  const int i = get_global_id(0), j = get_global_id(1);
  const float x = x0 + i * dx, y = y0 + j * dy, z = 0.6f;
  float sum = 0.0f, frequency = 1.0f, strength = 1.0f;
  for (int octave = 0; octave < 8; ++octave) {
    sum += fabs(strength * noise(order, frequency * x, frequency * y, frequency * z));
    frequency *= 1.99f;
    strength *= 0.6f;
  }
  to[j * get_global_size(0) + i] = 0.5f * sum;
}

// Sorts pairs of a key and its place by eight bits of the key. Each work-item has a strip and counters of its own, as each
// lane has there; counters lie in the order of the result: by digit, then by work-item.
kernel void sort_count(global const ulong *pairs, int n, int shift, global int *counters) {
  const int me = get_global_id(0), items = get_global_size(0), strip = n / items;
  int mine[256];
  for (int digit = 0; digit < 256; ++digit)
    mine[digit] = 0;
  for (int k = me * strip; k < (me + 1) * strip; ++k)
    ++mine[pairs[k] >> shift & 255];
  for (int digit = 0; digit < 256; ++digit)
    counters[digit * items + me] = mine[digit];
}

// Of all counters, by one work-group: each work-item a strip.
kernel void sort_sum(global int *counters, int n) {
  const int me = get_local_id(0), strip = n / get_local_size(0);
  int sum = 0;
  for (int k = me * strip; k < (me + 1) * strip; ++k)
    sum += counters[k];
  int before = work_group_scan_exclusive_add(sum);
  for (int k = me * strip; k < (me + 1) * strip; ++k) {
    const int count = counters[k];
    counters[k] = before;
    before += count;
  }
}

kernel void sort_move(global const ulong *pairs, int n, int shift, global const int *counters, global ulong *to) {
  const int me = get_global_id(0), items = get_global_size(0), strip = n / items;
  int mine[256];
  for (int digit = 0; digit < 256; ++digit)
    mine[digit] = counters[digit * items + me];
  for (int k = me * strip; k < (me + 1) * strip; ++k)
    to[mine[pairs[k] >> shift & 255]++] = pairs[k];
}

kernel void sort_pack(global const uint *keys, global ulong *pairs) {
  const uint i = get_global_id(0);
  pairs[i] = (ulong)i << 32 | keys[i];
}

kernel void sort_unpack(global const ulong *pairs, global uint *keys, global int *places) {
  const uint i = get_global_id(0);
  keys[i] = (uint)pairs[i];
  places[i] = (int)(pairs[i] >> 32);
}
