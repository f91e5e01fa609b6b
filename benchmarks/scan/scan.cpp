// What do barriers cost in two consecutive loops with growing and shrinking strides in local
// memory?
//
// Expectation: far slower than the plain loop of the rival, which does a third of the work. The
// result serves to compare implementations of the same kernel.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

Benchmark scan_work_group(Scale scale) {
  struct Data {
    std::vector<int32_t> from, to;
  };
  constexpr size_t piece = 512;
  auto d = std::make_shared<Data>();
  d->from = random_ints(size(scale, size_t(1) << 24, 1 << 14), 9);
  d->to.resize(d->from.size());
  const size_t n = d->from.size();
  Benchmark b{.unit = "GB/s", .amount = 2 * sizeof(int32_t) * 1e-9 * double(n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("scan/scan.cl", "blelloch");
    s.arguments(k, s.input(d->from), s.output(d->to), cl::Local(piece * sizeof(int32_t)));
    return [=, &s] { s.launch(k, n / 2, piece / 2); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(n / piece, [&](size_t begin, size_t end) {
        for (size_t p = begin; p < end; ++p) {
          uint32_t sum = 0;
          for (size_t i = p * piece; i < (p + 1) * piece; ++i) {
            d->to[i] = int32_t(sum);
            sum += uint32_t(d->from[i]);
          }
        }
      });
    };
  };
  b.verify = [=] {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; ++i) {
      sum = i % piece ? sum : 0;
      if (d->to[i] != int32_t(sum))
        return false;
      sum += uint32_t(d->from[i]);
    }
    return true;
  };
  return b;
}

} // namespace lockstep::benchmarks
