// The sum of two vectors, twice: by a function object and by a lambda. Buffers manage the data;
// accessors state how a kernel uses it. The second kernel runs after the first one, because it
// reads the result of the first one.
#include <sycl/sycl.hpp>

#include <cstdio>

struct Add {
  sycl::accessor<float, 1, sycl::access_mode::read> a, b;
  sycl::accessor<float, 1, sycl::access_mode::write> sum;
  void operator()(sycl::id<1> i) const { sum[i] = a[i] + b[i]; }
};

int main() {
  constexpr std::size_t count = 100'000;
  std::vector<float> a(count), b(count), sum(count), twice(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = 0.5f;
  }
  sycl::queue queue;
  {
    sycl::buffer of_a(a), of_b(b), of_sum(sum), of_twice(twice);
    queue.submit([&](sycl::handler &group) {
      group.parallel_for(sycl::range(count), Add{{of_a, group}, {of_b, group}, {of_sum, group}});
    });
    queue.submit([&](sycl::handler &group) {
      sycl::accessor in(of_sum, group, sycl::read_only);
      sycl::accessor out(of_twice, group, sycl::write_only, sycl::no_init);
      group.parallel_for(count, [=](sycl::id<1> i) { out[i] = in[i] + in[i]; });
    });
  } // the buffers' destructors copy the results to the vectors

  for (std::size_t i = 0; i < count; ++i)
    if (twice[i] != 2 * (a[i] + b[i])) {
      std::printf("wrong at %zu: %g\n", i, static_cast<double>(twice[i]));
      return 1;
    }
  std::printf("%zu sums are right, on %s\n", count,
              queue.get_device().get_info<sycl::info::device::name>().c_str());
}
