// What do many short dependent launches cost, with strided accesses and a conditional store?
//
// The input is copied back before each sort; the copy is included, for the rival too. Rival:
// std::sort, one half per thread, and a merge.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <algorithm>

namespace lockstep::benchmarks {

Benchmark sort_bitonic(Scale scale) {
  struct Data {
    std::vector<uint32_t> keys, sorted;
  };
  auto d = std::make_shared<Data>();
  const size_t n = size(scale, 1 << 20, 1 << 12);
  d->keys.resize(n);
  for (size_t i = 0; i < n; ++i)
    d->keys[i] = uint32_t(scramble(i));
  d->sorted.resize(n);
  Benchmark b{.unit = "Mkey/s", .amount = 1e-6 * double(n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("sort/sort.cl", "bitonic_step");
    cl::Buffer keys = s.input(d->keys), sorted = s.output(d->sorted);
    k.setArg(0, sorted);
    return [=, &s]() mutable {
      s.queue.enqueueCopyBuffer(keys, sorted, 0, 0, n * sizeof(uint32_t));
      for (cl_uint run = 2; run <= n; run *= 2)
        for (cl_uint distance = run / 2; distance > 0; distance /= 2) {
          k.setArg(1, run);
          k.setArg(2, distance);
          s.launch(k, n / 2, 256);
        }
    };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      const size_t pieces = t.count();
      std::vector<uint32_t> keys = d->keys;
      auto edge = [&](size_t piece) { return keys.begin() + std::ptrdiff_t(n * piece / pieces); };
      t.split(pieces, [&](size_t begin, size_t end) {
        for (size_t piece = begin; piece < end; ++piece)
          std::sort(edge(piece), edge(piece + 1));
      });
      for (size_t piece = 1; piece < pieces; ++piece) {
        std::merge(keys.begin(), edge(piece), edge(piece), edge(piece + 1), d->sorted.begin());
        if (piece + 1 < pieces)
          std::copy(d->sorted.begin(), d->sorted.begin() + (edge(piece + 1) - keys.begin()),
                    keys.begin());
      }
      if (pieces == 1)
        d->sorted = keys;
    };
  };
  b.verify = [=] {
    std::vector<uint32_t> expected = d->keys;
    std::sort(expected.begin(), expected.end());
    return d->sorted == expected;
  };
  return b;
}

} // namespace lockstep::benchmarks
