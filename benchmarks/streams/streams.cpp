// Does a kernel that only moves memory reach the machine's bandwidth?
//
// Expectation: within a factor of 1.2 of the measured limit (limits/) for scalar and float4
// kernels. The arrays are larger than the caches. Ordinary stores also read the lines that they
// overwrite, which is not counted here and in no rival.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<float> a, b, c;
};

constexpr float scale_factor = 3.0f;

std::shared_ptr<Data> make_data(Scale scale) {
  const size_t n = size(scale, size_t(1) << 25, 1 << 16);
  return std::make_shared<Data>(
      Data{random_floats(n, -1, 1, 1), random_floats(n, -1, 1, 2), std::vector<float>(n)});
}

} // namespace

Benchmark stream_copy(Scale scale) {
  auto d = make_data(scale);
  const size_t n = d->a.size();
  Benchmark b{.unit = "GB/s", .amount = 2 * sizeof(float) * 1e-9 * double(n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("streams/streams.cl", "copy");
    s.arguments(k, s.input(d->a), s.output(d->c));
    return [=, &s] { s.launch(k, n, 256); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          d->c[i] = d->a[i];
      });
    };
  };
  b.verify = [=] { return d->c == d->a; };
  return b;
}

Benchmark stream_triad(Scale scale) {
  auto d = make_data(scale);
  const size_t n = d->a.size();
  Benchmark b{.unit = "GB/s", .amount = 3 * sizeof(float) * 1e-9 * double(n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("streams/streams.cl", "triad");
    s.arguments(k, s.input(d->a), s.input(d->b), scale_factor, s.output(d->c));
    return [=, &s] { s.launch(k, n, 256); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          d->c[i] = d->a[i] + scale_factor * d->b[i];
      });
    };
  };
  b.verify = [=] {
    for (size_t i = 0; i < n; ++i)
      if (!near(d->c[i], double(d->a[i]) + 3.0 * d->b[i], 1e-6))
        return false;
    return true;
  };
  return b;
}

Benchmark saxpy_float4(Scale scale) {
  auto d = make_data(scale);
  const size_t n = d->a.size();
  Benchmark b{.unit = "GB/s", .amount = 3 * sizeof(float) * 1e-9 * double(n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("streams/streams.cl", "saxpy");
    s.arguments(k, s.input(d->a), scale_factor, s.input(d->b), s.output(d->c));
    return [=, &s] { s.launch(k, n / 4, 64); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          d->c[i] = scale_factor * d->a[i] + d->b[i];
      });
    };
  };
  b.verify = [=] {
    for (size_t i = 0; i < n; ++i)
      if (!near(d->c[i], 3.0 * d->a[i] + d->b[i], 1e-6))
        return false;
    return true;
  };
  return b;
}

} // namespace lockstep::benchmarks
