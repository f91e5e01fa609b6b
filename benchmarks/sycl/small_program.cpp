// The source that compile_small_program compiles: a typical first program of a tutorial.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> a(1000, 1), b(1000, 2);
  {
    sycl::queue queue;
    sycl::buffer of_a(a), of_b(b);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor in(of_a, group, sycl::read_only);
      sycl::accessor out(of_b, group);
      group.parallel_for(a.size(), [=](sycl::id<1> i) { out[i] += 2 * in[i]; });
    });
  }
  std::printf("%g\n", static_cast<double>(b[999]));
}
