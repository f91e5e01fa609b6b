// Does a work-group access whole cache lines when the program does not request that?
//
// Expectation: plain is bound by scattered writes everywhere; tiled reaches C++ that moves 16 x 16
// blocks.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

struct Data {
  uint32_t n;
  std::vector<float> from, to;
};

Benchmark transpose(Scale scale, const char *kernel, bool blocks) {
  auto d = std::make_shared<Data>();
  d->n = uint32_t(size(scale, 4096, 256));
  const size_t n = d->n;
  d->from = random_floats(n * n, -1, 1, 8);
  d->to.resize(n * n);
  Benchmark b{.unit = "GB/s", .amount = 2 * sizeof(float) * 1e-9 * double(n * n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("transpose/transpose.cl", kernel);
    s.arguments(k, d->n, s.input(d->from), s.output(d->to));
    return [=, &s] { s.launch(k, cl::NDRange(n, n), cl::NDRange(16, 16)); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      const size_t block = blocks ? 16 : n;
      t.split(n / 16, [&](size_t begin, size_t end) {
        for (size_t top = begin * 16; top < end * 16; top += 16)
          for (size_t left = 0; left < n; left += block)
            for (size_t y = top; y < top + 16; ++y)
              for (size_t x = left; x < left + block; ++x)
                d->to[x * n + y] = d->from[y * n + x];
      });
    };
  };
  b.verify = [=] {
    for (size_t y = 0; y < n; ++y)
      for (size_t x = 0; x < n; ++x)
        if (d->to[x * n + y] != d->from[y * n + x])
          return false;
    return true;
  };
  return b;
}

} // namespace

Benchmark transpose_plain(Scale scale) {
  return transpose(scale, "plain", false);
}
Benchmark transpose_tiled(Scale scale) {
  return transpose(scale, "tiled", true);
}

} // namespace lockstep::benchmarks
