kernel void collatz(global int *out, global const int *start) {
  int i = get_global_id(0), steps = 0;
  for (int n = start[i]; n > 1; ++steps)
    n = n % 2 ? 3 * n + 1 : n / 2;
  out[i] = steps;
}

kernel void look_up(global int *out, global const int *index) {
  int i = get_global_id(0);
  out[i] = index[index[i]];
}

kernel void count(global int *out, global int *counter) {
  out[get_global_id(0)] = atomic_inc(counter);
}

kernel void straight(global float *out, global const float *in) {
  int i = get_global_id(0);
  out[i] = in[i] + 1;
}

// More values than there are registers, whatever the processor.
kernel void crowded(global float *out, global const float *in) {
  int i = get_global_id(0);
  float v[40];
  for (int k = 0; k < 40; ++k)
    v[k] = in[i + k];
  for (int round = 0; round < 9; ++round)
    for (int k = 0; k < 40; ++k)
      v[k] = v[k] * v[(k + 7) % 40] + v[(k + 11) % 40];
  float sum = 0;
  for (int k = 0; k < 40; ++k)
    sum += v[k];
  out[i] = sum;
}

// Rows somewhere else for each work-item, of which all elements are used.
kernel void rows_by_dot(global float *out, global const float4 *rows, global const float4 *row, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += dot(rows[i * n + k], row[k]);
  out[i] = sum;
}

kernel void rows_by_element(global float *out, global const float4 *rows, global const float4 *row, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += rows[i * n + k].x * row[k].x + rows[i * n + k].y * row[k].y + rows[i * n + k].z * row[k].z +
           rows[i * n + k].w * row[k].w;
  out[i] = sum;
}
