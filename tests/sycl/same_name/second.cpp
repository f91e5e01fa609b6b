#include <sycl/sycl.hpp>

// This and the unnamed kernel in first.cpp have the same name: both functions are static, with the same signature.
static void run(sycl::queue &queue, int *value) {
  queue.single_task([=] { *value = 2; }).wait();
}

int from_second(sycl::queue &queue, int *value) {
  run(queue, value);
  return *value;
}
