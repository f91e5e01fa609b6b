// What do atomics cost in global memory, and in local memory, where one thread runs the whole
// work-group and no other thread has access?
//
// Expectation: local ones run without a bus lock, near plain C++ with a histogram per thread.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <array>

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<uint8_t> values;
  std::vector<uint32_t> bins, expected;
};

Benchmark histogram(Scale scale, const char *kernel) {
  auto d = std::make_shared<Data>();
  d->values.resize(size(scale, size_t(1) << 24, 1 << 18));
  d->bins.resize(256);
  d->expected.resize(256);
  for (size_t i = 0; i < d->values.size(); ++i)
    ++d->expected[d->values[i] = uint8_t(scramble(i))];
  Benchmark b{.unit = "Gitem/s", .amount = 1e-9 * double(d->values.size())};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("histogram/histogram.cl", kernel);
    cl::Buffer bins = s.output(d->bins);
    s.arguments(k, s.input(d->values), cl_uint(d->values.size()), bins);
    return [=, &s] {
      s.queue.enqueueFillBuffer(bins, cl_uint(0), 0, 256 * sizeof(cl_uint));
      s.launch(k, 16384, 256);
    };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::vector<std::array<uint32_t, 256>> of_thread(t.count());
      t.split(t.count(), [&](size_t begin, size_t end) {
        for (size_t piece = begin; piece < end; ++piece) {
          std::array<uint32_t, 256> mine{};
          const size_t n = d->values.size(), pieces = of_thread.size();
          for (size_t i = n * piece / pieces; i < n * (piece + 1) / pieces; ++i)
            ++mine[d->values[i]];
          of_thread[piece] = mine;
        }
      });
      std::fill(d->bins.begin(), d->bins.end(), 0);
      for (const auto &mine : of_thread)
        for (size_t i = 0; i < 256; ++i)
          d->bins[i] += mine[i];
    };
  };
  b.verify = [=] { return d->bins == d->expected; };
  return b;
}

} // namespace

Benchmark histogram_global(Scale scale) {
  return histogram(scale, "in_global");
}
Benchmark histogram_local(Scale scale) {
  return histogram(scale, "in_local");
}

} // namespace lockstep::benchmarks
