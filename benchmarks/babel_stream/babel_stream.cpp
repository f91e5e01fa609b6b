// Do BabelStream's five kernels (copy, mul, add, triad, dot) move memory as fast as the same loops
// in OpenMP?
//
// Expectation: at least 0.95 of OpenMP (run.py --anchors). Arrays of 2^25 doubles, the global sizes
// of BabelStream, no local size; the work-groups of dot are as many and as large as BabelStream's on
// a CPU. dot includes the copy of its partial sums to the host and their addition there. Rival: the
// loops in OpenMP, static schedule, arrays first touched by the threads that use them. Without
// OpenMP at build time there is no rival.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/questions.h"

#include <numeric>

namespace lockstep::benchmarks {

namespace {

constexpr double scalar = 0.5;

// As in the kernel `init`.
double first_a(size_t i) {
  return 1.0 + double(i % 1024) * 0x1p-10;
}
double first_b(size_t i) {
  return 2.0 - double(i % 512) * 0x1p-9;
}
double first_c(size_t i) {
  return 0.5 + double(i % 256) * 0x1p-8;
}

struct Data {
  ptrdiff_t n;                       // signed, as OpenMP's loops expect
  std::unique_ptr<double[]> a, b, c; // of the rival; not touched before its threads do
  std::vector<double> fetched;       // of the OpenCL version
  const double *result = nullptr;    // of either
  double sum = 0;                    // of dot
};

using Loop = void (*)(Data &);

#ifdef _OPENMP
void fill(Data &d) {
  for (auto *array : {&d.a, &d.b, &d.c})
    array->reset(new double[size_t(d.n)]);
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < d.n; ++i) {
    d.a[i] = first_a(size_t(i));
    d.b[i] = first_b(size_t(i));
    d.c[i] = first_c(size_t(i));
  }
}

void copy(Data &d) {
  double *a = d.a.get(), *c = d.c.get();
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < d.n; ++i)
    c[i] = a[i];
  d.result = c;
}

void mul(Data &d) {
  double *b = d.b.get(), *c = d.c.get();
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < d.n; ++i)
    b[i] = scalar * c[i];
  d.result = b;
}

void add(Data &d) {
  double *a = d.a.get(), *b = d.b.get(), *c = d.c.get();
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < d.n; ++i)
    c[i] = a[i] + b[i];
  d.result = c;
}

void triad(Data &d) {
  double *a = d.a.get(), *b = d.b.get(), *c = d.c.get();
#pragma omp parallel for schedule(static)
  for (ptrdiff_t i = 0; i < d.n; ++i)
    a[i] = b[i] + scalar * c[i];
  d.result = a;
}

void dot(Data &d) {
  double *a = d.a.get(), *b = d.b.get(), sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (ptrdiff_t i = 0; i < d.n; ++i)
    sum += a[i] * b[i];
  d.sum = sum;
}

#define RIVAL(loop) loop
#else
#define RIVAL(loop) nullptr
#endif

Benchmark with_rival(const std::shared_ptr<Data> &d, double arrays, Loop loop) {
  Benchmark b{.unit = "GB/s", .amount = arrays * sizeof(double) * 1e-9 * double(d->n)};
#ifdef _OPENMP
  b.native = [=](Threads &) {
    fill(*d);
    return [=] { loop(*d); };
  };
#else
  static_cast<void>(loop);
#endif
  return b;
}

std::shared_ptr<Data> make_data(Scale scale) {
  auto d = std::make_shared<Data>();
  d->n = ptrdiff_t(size(scale, size_t(1) << 25, 1 << 14));
  return d;
}

constexpr const char *source = "babel_stream/babel_stream.cl";

struct Buffers {
  cl::Buffer a, b, c;
};

// `written` is the array that the kernel writes.
Buffers make_buffers(Session &s, Data &d, cl::Buffer Buffers::*written) {
  const size_t bytes = size_t(d.n) * sizeof(double);
  Buffers all;
  for (cl::Buffer Buffers::*array : {&Buffers::a, &Buffers::b, &Buffers::c})
    if (array == written) {
      d.fetched.resize(size_t(d.n));
      all.*array = s.output(d.fetched);
    } else {
      all.*array = s.scratch(bytes);
    }
  cl::Kernel init = s.kernel(source, "init");
  s.arguments(init, all.a, all.b, all.c);
  s.launch(init, size_t(d.n), cl::NullRange);
  s.queue.finish();
  return all;
}

Benchmark stream(Scale scale, const char *kernel, std::vector<cl::Buffer Buffers::*> arrays,
                 cl::Buffer Buffers::*written, double (*expected)(size_t), Loop loop) {
  auto d = make_data(scale);
  Benchmark b = with_rival(d, double(arrays.size()), loop);
  b.opencl = [=](Session &s) {
    Buffers buffers = make_buffers(s, *d, written);
    cl::Kernel k = s.kernel(source, kernel);
    cl_uint index = 0;
    for (cl::Buffer Buffers::*array : arrays)
      k.setArg(index++, buffers.*array);
    d->result = d->fetched.data();
    return [=, &s] { s.launch(k, size_t(d->n), cl::NullRange); };
  };
  b.verify = [=] {
    for (size_t i = 0; i < size_t(d->n); ++i)
      if (d->result[i] != expected(i))
        return false;
    return true;
  };
  return b;
}

} // namespace

Benchmark babel_copy(Scale scale) {
  return stream(scale, "copy", {&Buffers::a, &Buffers::c}, &Buffers::c, first_a, RIVAL(copy));
}

Benchmark babel_mul(Scale scale) {
  return stream(
      scale, "mul", {&Buffers::b, &Buffers::c}, &Buffers::b,
      [](size_t i) { return scalar * first_c(i); }, RIVAL(mul));
}

Benchmark babel_add(Scale scale) {
  return stream(
      scale, "add", {&Buffers::a, &Buffers::b, &Buffers::c}, &Buffers::c,
      [](size_t i) { return first_a(i) + first_b(i); }, RIVAL(add));
}

Benchmark babel_triad(Scale scale) {
  return stream(
      scale, "triad", {&Buffers::a, &Buffers::b, &Buffers::c}, &Buffers::a,
      [](size_t i) { return first_b(i) + scalar * first_c(i); }, RIVAL(triad));
}

Benchmark babel_dot(Scale scale) {
  auto d = make_data(scale);
  Benchmark b = with_rival(d, 2, RIVAL(dot));
  b.opencl = [=](Session &s) {
    Buffers buffers = make_buffers(s, *d, nullptr);
    const size_t groups = s.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(),
                 items = s.device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE>() * size_t(2);
    d->fetched.resize(groups);
    cl::Buffer sums = s.output(d->fetched);
    cl::Kernel k = s.kernel(source, "dot_product");
    s.arguments(k, buffers.a, buffers.b, sums, cl::Local(items * sizeof(double)), cl_ulong(d->n));
    return [=, &s] {
      s.launch(k, groups * items, items);
      s.queue.enqueueReadBuffer(sums, CL_TRUE, 0, groups * sizeof(double), d->fetched.data());
      d->sum = std::accumulate(d->fetched.begin(), d->fetched.end(), 0.0);
    };
  };
  b.verify = [=] {
    double expected = 0;
    for (size_t i = 0; i < size_t(d->n); ++i)
      expected += first_a(i) * first_b(i);
    return near(d->sum, expected, 1e-9 * expected);
  };
  return b;
}

} // namespace lockstep::benchmarks
