// Does the speed of a kernel depend on whether its author wrote `float` or `float16`?
//
// Expectation: the two within a factor of 1.5, near the peak of limits/. The kernel is a short
// chain of fused multiply-adds in a loop, as in common peak benchmarks: only independent work-items
// can fill the vectors and hide the latency. There is no rival in C++; limits/ serves as one.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/questions.h"

#include <cmath>

namespace lockstep::benchmarks {

namespace {

constexpr float factor = 0x1p-10f;

struct Data {
  uint32_t rounds;
  std::vector<float> result; // of `width` floats for each work-item
};

float steps(uint32_t rounds, size_t item) {
  float x = factor * float(item), y = factor;
  for (uint32_t i = 0; i < rounds * 8; ++i) {
    y = std::fma(x, factor, y);
    x = std::fma(y, -factor, x);
  }
  return x + y;
}

Benchmark arithmetic(Scale scale, const char *type, size_t width) {
  auto d = std::make_shared<Data>();
  d->rounds = uint32_t(size(scale, 512, 16));
  d->result.resize(size(scale, 1 << 18, 1 << 12));
  const size_t items = d->result.size() / width;
  Benchmark b{.unit = "GFLOP/s", .amount = 32e-9 * d->rounds * double(d->result.size())};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("arithmetic/arithmetic.cl", "steps", std::string("-DT=") + type);
    s.arguments(k, d->rounds, factor, s.output(d->result));
    return [=, &s] { s.launch(k, items, 256); };
  };
  b.verify = [=] {
    for (size_t item = 0; item < items; item += items / 64) {
      const double expected = steps(d->rounds, item);
      for (size_t i = 0; i < width; ++i)
        if (!near(d->result[item * width + i], expected, 1e-5 * std::abs(expected)))
          return false;
    }
    return true;
  };
  return b;
}

} // namespace

Benchmark arithmetic_float(Scale scale) {
  return arithmetic(scale, "float", 1);
}
Benchmark arithmetic_float16(Scale scale) {
  return arithmetic(scale, "float16", 16);
}

} // namespace lockstep::benchmarks
