#include "functions.h"

#include <cstdio>

int main() {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(3, queue);
  queue.single_task([=] { out[0] = in_object(1) + in_library(3); });
  queue.single_task([=] { out[1] = nested::Scale{3}.apply(7); });
  queue.wait();
  out[2] = in_object(5); // the host has them too
  std::printf("%d %d %d\n", out[0], out[1], out[2]);
  sycl::free(out, queue);
}
