#include <sycl/sycl.hpp>

// This kernel and the unnamed one in first.cpp have the same name: both functions are static.
static void run(sycl::queue &queue, int *value) {
  queue.single_task([=] { *value = 2; }).wait();
}

int from_second(sycl::queue &queue, int *value) {
  run(queue, value);
  return *value;
}
