// What are the limits of this machine? The other results are compared with these.
//
// Plain C++ on all cores: read, copy and triad bandwidth on arrays larger than the caches, and the
// peak of fused multiply-adds in registers, for vectors of 8 and 16 floats, with enough independent
// chains to hide the latency. copy and triad use ordinary stores, like the kernels.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <algorithm>
#include <array>

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<float> a, b, c;
  double sum = 0, expected = 0;
};

Benchmark memory(Scale scale, double arrays, void (*body)(Data &, size_t, size_t)) {
  auto d = std::make_shared<Data>();
  const size_t n = size(scale, size_t(1) << 25, 1 << 16);
  d->a = random_floats(n, -1, 1, 17);
  d->b = random_floats(n, -1, 1, 18);
  d->c.resize(n);
  Benchmark b{.unit = "GB/s", .amount = arrays * sizeof(float) * 1e-9 * double(n)};
  b.native = [=](Threads &t) {
    return [=, &t] { t.split(n, [&](size_t begin, size_t end) { body(*d, begin, end); }); };
  };
  b.verify = [] { return true; };
  return b;
}

#if defined(__AVX512F__)
constexpr size_t most_lanes = 16;
#elif defined(__AVX__)
constexpr size_t most_lanes = 8;
#else
constexpr size_t most_lanes = 4;
#endif

// Twelve chains of one vector each: latency 4, two units, and some reserve. Only vectors that this
// processor supports, because wider ones would not stay in registers. Threads take small pieces of
// the work, so one that loses its processor for a while does not decide the result.
template <size_t wanted_lanes> Benchmark multiply_add(Scale scale) {
  constexpr size_t lanes = std::min(wanted_lanes, most_lanes);
  typedef float Vector __attribute__((vector_size(lanes * sizeof(float))));
  constexpr size_t chains = 12;
  const size_t pieces = size(scale, 64, 1), rounds = size(scale, 62'500, 10'000); // of each thread
  auto results = std::make_shared<std::vector<float>>(256);
  Benchmark b{.unit = "GFLOP/s"};
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.share(t.count() * pieces, 1, [&](size_t begin, size_t end) {
        for (size_t piece = begin; piece < end; ++piece) {
          std::array<Vector, chains> sum{};
          Vector factor = Vector{} + 0.999f, term = Vector{} + 1e-3f;
          asm volatile("" : "+x"(factor), "+x"(term));
          for (size_t i = 0; i < rounds; ++i)
            for (Vector &s : sum) {
              s = s * factor + term;
              asm volatile("" : "+x"(s)); // keeps a chain, even if the compiler may reassociate
            }
          float all = 0;
          for (Vector &s : sum)
            all += s[0];
          (*results)[piece % results->size()] = all;
        }
      });
    };
  };
  b.amount = 2e-9 * double(rounds * pieces) * chains * lanes * std::thread::hardware_concurrency();
  // Each chain approaches 1 from below.
  b.verify = [=] { return near((*results)[0], chains, 0.1); };
  return b;
}

} // namespace

Benchmark limit_read(Scale scale) {
  return memory(scale, 1, [](Data &d, size_t begin, size_t end) {
    float sum = 0;
    for (size_t i = begin; i < end; ++i)
      sum += d.a[i];
    d.c[begin] = sum;
  });
}

Benchmark limit_copy(Scale scale) {
  return memory(scale, 2, [](Data &d, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      d.c[i] = d.a[i];
  });
}

Benchmark limit_triad(Scale scale) {
  return memory(scale, 3, [](Data &d, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      d.c[i] = d.a[i] + 3.0f * d.b[i];
  });
}

Benchmark limit_multiply_add_8(Scale scale) {
  return multiply_add<8>(scale);
}
Benchmark limit_multiply_add_16(Scale scale) {
  return multiply_add<16>(scale);
}

} // namespace lockstep::benchmarks
