// Do kernels whose work-items each walk their own row of memory stay vectorized? Are rows loaded as
// rows, where lanes would gather from lines 4 KiB apart, which map to one set of the L1 cache?
//
// The data are 16 MiB, which fit in the L3 cache. Rival: plain C++, one row after the other.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

constexpr size_t columns = 1024;

struct Data {
  std::vector<float> matrix, vector, result;
};

Benchmark rows(Scale scale, const char *kernel, size_t width) {
  const size_t n = size(scale, 4096, 256);
  auto d = std::make_shared<Data>(Data{random_floats(n * columns, -1, 1, 16),
                                       random_floats(columns, -1, 1, 17), std::vector<float>(n)});
  Benchmark b{.unit = "GB/s", .amount = sizeof(float) * 1e-9 * double(d->matrix.size())};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("rows/rows.cl", kernel);
    s.arguments(k, s.input(d->matrix), s.input(d->vector), cl_uint(columns / width),
                s.output(d->result));
    return [=, &s] { s.launch(k, n, 64); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.share(n, 64, [&](size_t begin, size_t end) {
        for (size_t row = begin; row < end; ++row) {
          float sum = 0;
          for (size_t i = 0; i < columns; ++i)
            sum += d->matrix[row * columns + i] * d->vector[i];
          d->result[row] = sum;
        }
      });
    };
  };
  b.verify = [=] {
    for (size_t row = 0; row < n; ++row) {
      double sum = 0;
      for (size_t i = 0; i < columns; ++i)
        sum += double(d->matrix[row * columns + i]) * d->vector[i];
      if (!near(d->result[row], sum, 1e-3))
        return false;
    }
    return true;
  };
  return b;
}

} // namespace

Benchmark rows_dot_float4(Scale scale) {
  return rows(scale, "dot_float4", 4);
}
Benchmark rows_numbers(Scale scale) {
  return rows(scale, "by_numbers", 1);
}
Benchmark rows_float16(Scale scale) {
  return rows(scale, "by_float16", 16);
}

} // namespace lockstep::benchmarks
