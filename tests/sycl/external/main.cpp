#include <sycl/sycl.hpp>

#include "functions.h"

#include <cstdio>

int main() {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(5, queue);
  queue.single_task([=] { out[0] = in_object(1) + in_library(3); });
  queue.single_task([=] { out[1] = nested::Scale{3}.apply(7); });
  for (int i = 3; i < 5; ++i)
    queue.submit([&](sycl::handler &group) {
      if (i == 3)
        group.set_specialization_constant<factor>(5);
      group.single_task([=](sycl::kernel_handler constants) { out[i] = by_factor(7, constants); });
    });
  queue.wait();
  out[2] = in_object(5); // the host can call them too
  std::printf("%d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4]);
  sycl::free(out, queue);
}
