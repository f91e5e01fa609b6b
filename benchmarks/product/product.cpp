// What does contention on one address cost, with compare-and-swap and with a spin lock?
//
// 16,384 work-items each reduce a slice privately, then update one address. Expectation: the slices
// dominate, so both reach the speed of reading memory. An implementation with a context switch for
// each waiting item would be visible here. Rival: plain C++, one product per thread.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<float> values, product;
  double expected = 1;
};

constexpr size_t items = 16384;

constexpr size_t group = 64;

Benchmark product(Scale scale, const char *kernel, bool lock, bool local_memory = false) {
  auto d = std::make_shared<Data>();
  // Uniform in the logarithm, so that the product stays in range; the product of one slice is
  // rarely near 1.
  d->values = random_floats(size(scale, size_t(1) << 26, 1 << 18), -0.005f, 0.005f, 4);
  for (float &value : d->values)
    value = std::exp(value);
  d->product.resize(1);
  for (float value : d->values)
    d->expected *= value;
  Benchmark b{.unit = "GB/s", .amount = sizeof(float) * 1e-9 * double(d->values.size())};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("product/product.cl", kernel);
    cl::Buffer free = s.scratch(sizeof(cl_uint)), result = s.output(d->product);
    k.setArg(0, s.input(d->values));
    k.setArg(1, cl_uint(d->values.size()));
    if (lock)
      k.setArg(2, free);
    k.setArg(lock ? 3 : 2, result);
    if (local_memory)
      k.setArg(4, cl::Local(group * sizeof(float)));
    return [=, &s] {
      s.queue.enqueueFillBuffer(free, cl_uint(0), 0, sizeof(cl_uint));
      s.queue.enqueueFillBuffer(result, 1.0f, 0, sizeof(float));
      s.launch(k, items, group);
    };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::vector<float> products(t.count(), 1.0f);
      t.split(t.count(), [&](size_t begin, size_t end) {
        for (size_t piece = begin; piece < end; ++piece) {
          float mine = 1;
          const size_t n = d->values.size(), pieces = products.size();
          for (size_t i = n * piece / pieces; i < n * (piece + 1) / pieces; ++i)
            mine *= d->values[i];
          products[piece] = mine;
        }
      });
      d->product[0] = 1;
      for (float p : products)
        d->product[0] *= p;
    };
  };
  b.verify = [=] { return near(d->product[0] / d->expected, 1, 1e-2); };
  return b;
}

} // namespace

Benchmark product_by_swap(Scale scale) {
  return product(scale, "by_swap", false);
}
Benchmark product_by_lock(Scale scale) {
  return product(scale, "by_lock", true);
}
Benchmark product_lock_per_group(Scale scale) {
  return product(scale, "by_lock_of_group", true, true);
}

} // namespace lockstep::benchmarks
