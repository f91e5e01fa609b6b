#include <sycl/sycl.hpp>

// This kernel and the unnamed one in second.cpp have the same name: both functions are static.
static void run(sycl::queue &queue, int *value) {
  queue.single_task([=] { *value = 1; }).wait();
}

int from_first(sycl::queue &queue, int *value) {
  run(queue, value);
  return *value;
}
