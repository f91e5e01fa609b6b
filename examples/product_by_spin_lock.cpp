// The product of an array of floats with an atomic flag as a mutex.
//
// What it teaches: which work-items may wait for which on a device with few guarantees. A mutex
// works if its holder makes progress while others wait, which OpenCL does not guarantee. The lanes
// of a SIMD register share one program counter. If one lane takes the lock and the others spin, a
// device that first runs the loop until all lanes leave it never reaches the unlock:
//
//     while (!try_lock(lock)) ;   // lanes converge *here*: the winner waits for the losers
//     work(); unlock(lock);
//
// Two forms are portable in practice:
// - One work-item per work-group takes the lock (a leader, after a reduction in local memory).
//   Groups compete, but the holder has started and depends on no other group. Only a device that
//   suspends the holder in favor of a waiter could hang. This form is much faster here.
// - The critical section is inside the loop: lanes converge at the end of the loop body, after the
//   unlock. So each iteration completes at least one lane. This form is for a lock per item.
//
// Checked against: the product in long double, in order.
#include "example.h"

#include <cmath>

namespace {

struct Problem {
  cl::Buffer values;
  uint32_t n;
  long double expected;
};

void product(example::Example &e, const std::string &what, const cl::Program &program,
             const char *kernel_name, const Problem &problem, size_t groups) {
  const size_t group_size = 64;
  cl::Kernel start(program, "start");
  cl::Kernel kernel(program, kernel_name);
  cl::Buffer lock(e.context, CL_MEM_READ_WRITE, sizeof(cl_uint));
  cl::Buffer result(e.context, CL_MEM_READ_WRITE, sizeof(float));
  start.setArg(0, lock);
  start.setArg(1, result);
  kernel.setArg(0, problem.values);
  kernel.setArg(1, problem.n);
  kernel.setArg(2, lock);
  kernel.setArg(3, result);
  if (kernel.getInfo<CL_KERNEL_NUM_ARGS>() > 4)
    kernel.setArg(4, cl::Local(group_size * sizeof(float)));
  double seconds = e.seconds([&] {
    e.queue.enqueueNDRangeKernel(start, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
    e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * group_size),
                                 cl::NDRange(group_size));
  });
  float got = example::read<float>(e, result, 1)[0];
  e.row(what, std::abs(got / problem.expected - 1) < 1e-2L, seconds,
        problem.n * sizeof(float) * 1e-9, "GB/s");
}

} // namespace

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    std::vector<float> values(e.size(10'000'019, 10'007));
    std::mt19937 random(2);
    std::uniform_real_distribution<float> logarithm(-0.01f, 0.01f);
    for (float &value : values)
      value = std::exp(logarithm(random));
    Problem problem{example::buffer_of(e, values), static_cast<uint32_t>(values.size()), 1};
    for (float value : values)
      problem.expected *= value;

    cl::Program version_1 = e.build("product_by_spin_lock.cl", "-cl-std=CL1.2");
    product(e, "product, lock (1.2), leader of each group", version_1, "product_by_leader", problem,
            64);
    product(e, "product, lock (1.2), every work-item", version_1, "product_by_all", problem, 64);
    if (!e.has_features({"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"})) {
      e.skip("product, atomic_flag", "no acquire and release at device scope");
      return;
    }
    cl::Program version_3 = e.build("product_by_spin_lock.cl", "-cl-std=CL3.0");
    product(e, "product, atomic_flag, leader of each group", version_3, "product_by_leader",
            problem, 64);
    product(e, "product, atomic_flag, every work-item", version_3, "product_by_all", problem, 64);
  });
}
