// Does a stencil reach the memory bandwidth, and what does the local-memory version, written for
// GPUs, cost here?
//
// Expectation: plain within a factor of 1.3 of C++; tiled as near to that as the conditional border
// loads allow. GB/s count each number once in and once out.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

struct Data {
  uint32_t n, pitch;
  std::vector<float> from, to;
};

Benchmark jacobi(Scale scale, const char *kernel, size_t width = 1) {
  auto d = std::make_shared<Data>();
  d->n = uint32_t(size(scale, 4096, 256));
  d->pitch = d->n + 2;
  d->from = random_floats(size_t(d->pitch) * d->pitch, -1, 1, 7);
  d->to.resize(d->from.size());
  const size_t n = d->n, pitch = d->pitch;
  Benchmark b{.unit = "GB/s", .amount = 2 * sizeof(float) * 1e-9 * double(n * n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("jacobi/jacobi.cl", kernel);
    s.arguments(k, d->pitch, s.input(d->from), s.output(d->to));
    return [=, &s] { s.launch(k, cl::NDRange(n / width, n), cl::NDRange(16, 16 / width)); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(n, [&](size_t begin, size_t end) {
        for (size_t y = begin + 1; y <= end; ++y) {
          const float *from = &d->from[y * pitch];
          float *to = &d->to[y * pitch];
          for (size_t x = 1; x <= n; ++x)
            to[x] = 0.25f * ((from[x - 1] + from[x + 1]) + (from[x - pitch] + from[x + pitch]));
        }
      });
    };
  };
  b.verify = [=] {
    for (size_t y = 1; y <= n; ++y)
      for (size_t x = 1; x <= n; ++x) {
        const float *from = &d->from[y * pitch + x];
        const double expected =
            0.25 * (double(from[-1]) + from[1] + from[-std::ptrdiff_t(pitch)] + from[pitch]);
        if (!near(d->to[y * pitch + x], expected, 1e-6))
          return false;
      }
    return true;
  };
  return b;
}

} // namespace

Benchmark jacobi_plain(Scale scale) {
  return jacobi(scale, "plain");
}
Benchmark jacobi_float8(Scale scale) {
  return jacobi(scale, "by_float8", 8);
}
Benchmark jacobi_tiled(Scale scale) {
  return jacobi(scale, "tiled");
}

} // namespace lockstep::benchmarks
