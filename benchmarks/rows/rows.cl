// A row of the matrix for each work-item, times a vector.
kernel void dot_float4(global const float4 *matrix, global const float4 *vector, uint n, global float *result) {
  const uint row = get_global_id(0);
  float sum = 0;
  for (uint i = 0; i < n; ++i)
    sum += dot(matrix[row * n + i], vector[i]);
  result[row] = sum;
}

kernel void by_numbers(global const float *matrix, global const float *vector, int n, global float *result) {
  const int row = get_global_id(0);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += matrix[row * n + i] * vector[i];
  result[row] = sum;
}

kernel void by_float16(global const float16 *matrix, global const float16 *vector, uint n, global float *result) {
  const uint row = get_global_id(0);
  float16 sums = 0;
  for (uint i = 0; i < n; ++i)
    sums += matrix[row * n + i] * vector[i];
  const float8 s8 = sums.lo + sums.hi;
  const float4 s4 = s8.lo + s8.hi;
  result[row] = s4.x + s4.y + s4.z + s4.w;
}
