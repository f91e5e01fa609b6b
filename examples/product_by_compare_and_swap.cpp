// The product of an array of floats by compare-and-swap.
//
// What it teaches: how to implement an atomic operation that OpenCL does not have, and why the loop
// is safe on every device. A spin lock needs its holder to make progress while others wait; a
// compare-and-swap loop holds nothing. If the swap of one work-item fails, that of another has just
// succeeded. So of all items that try at once, one succeeds, whether they are threads, lanes of one
// vector register in lockstep, or run one after the other. This property is "lock-free", and it is
// all the progress that OpenCL guarantees.
//
// Each work-item folds a slice privately first, so the loop runs once per work-item instead of once
// per element. That keeps contention low.
//
// Checked against: the product in long double, in order. The logarithms of the numbers are spread
// evenly around 0, so the product stays in range in any order. The product of one slice differs
// enough from 1 that a lost one is noticed; the rounding errors of ten million multiplications are
// smaller.
#include "example.h"

#include <cmath>

namespace {

void product(example::Example &e, const char *what, const char *options, cl::Buffer &values,
             uint32_t n, long double expected) {
  cl::Kernel kernel(e.build("product_by_compare_and_swap.cl", options), "product");
  cl::Buffer result(e.context, CL_MEM_READ_WRITE, sizeof(float));
  kernel.setArg(0, values);
  kernel.setArg(1, n);
  kernel.setArg(2, result);
  double seconds = e.seconds([&] {
    e.queue.enqueueFillBuffer(result, 1.0f, 0, sizeof(float));
    e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(64 * 64), cl::NDRange(64));
  });
  float got = example::read<float>(e, result, 1)[0];
  e.row(what, std::abs(got / expected - 1) < 1e-2L, seconds, n * sizeof(float) * 1e-9, "GB/s");
}

} // namespace

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    std::vector<float> values(e.size(10'000'019, 10'007));
    std::mt19937 random(1);
    std::uniform_real_distribution<float> logarithm(-0.01f, 0.01f);
    for (float &value : values)
      value = std::exp(logarithm(random));
    long double expected = 1;
    for (float value : values)
      expected *= value;

    cl::Buffer buffer = example::buffer_of(e, values);
    product(e, "product, compare-and-swap, OpenCL C 1.2", "-cl-std=CL1.2", buffer, values.size(),
            expected);
    if (e.has_features({"__opencl_c_atomic_scope_device"}))
      product(e, "product, compare-and-swap, OpenCL C 3.0", "-cl-std=CL3.0", buffer, values.size(),
              expected);
    else
      e.skip("product, compare-and-swap, OpenCL C 3.0", "no device-scope atomics");
  });
}
