// How long does a program wait for its kernel, the first time (all caches empty) and the second
// time (a new process that finds the cache of the first one)?
//
// run.py reads the times of the build and of the first launch separately, from processes with a new
// and with a used cache directory; the samples themselves have no meaning. Expectation: cold build
// under 250 ms, warm under 10 ms; cold build and first launch together under 400 ms.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

Benchmark build_small_kernel(Scale) {
  struct Data {
    std::vector<float> from, to;
  };
  constexpr size_t n = 1024, items = 64;
  auto d = std::make_shared<Data>(Data{random_floats(n, -1, 1, 16), std::vector<float>(n)});
  Benchmark b{.unit = "us", .amount = 1, .measure = Measure::time};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("build/build.cl", "small");
    s.arguments(k, s.input(d->from), s.output(d->to), cl_uint(3), cl::Local(items * sizeof(float)));
    return [=, &s] { s.launch(k, n, items); };
  };
  b.verify = [=] {
    for (size_t i = 0; i < n; ++i) {
      float sum = 0;
      for (size_t k = 0; k < 3; ++k)
        sum += d->from[i / items * items + (i + k) % items];
      if (!near(d->to[i], sum > 0 ? std::sqrt(sum) : sum, 1e-5))
        return false;
    }
    return true;
  };
  return b;
}

} // namespace lockstep::benchmarks
