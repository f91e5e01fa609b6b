#include <sycl/sycl.hpp>

// This function is in a shared library.
int from_library(sycl::queue &queue, int *value) {
  queue.single_task([=] { *value = 3; }).wait();
  return *value;
}
