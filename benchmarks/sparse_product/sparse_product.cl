// y = A x, A in compressed rows, one work-item per row.
kernel void csr(global const uint *row_start, global const uint *column, global const float *value,
                global const float *x, global float *y) {
  const size_t row = get_global_id(0);
  float sum = 0.0f;
  for (uint i = row_start[row]; i < row_start[row + 1]; ++i)
    sum += value[i] * x[column[i]];
  y[row] = sum;
}
