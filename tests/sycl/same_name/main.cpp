#include <sycl/sycl.hpp>

#include <cstdio>

int from_first(sycl::queue &queue, int *value);
int from_second(sycl::queue &queue, int *value);
int from_library(sycl::queue &queue, int *value);

int main() {
  sycl::queue queue;
  int *value = sycl::malloc_shared<int>(1, queue);
  std::printf("%d", from_first(queue, value));
  std::printf(" %d", from_second(queue, value));
  std::printf(" %d\n", from_library(queue, value));
  sycl::free(value, queue);
}
