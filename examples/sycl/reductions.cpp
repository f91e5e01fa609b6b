// Reductions: all work-items add to a variable, and the library chooses how. The example combines
// several reductions in one launch, of numbers and of a type of the program, into a buffer and into
// USM.
#include <sycl/sycl.hpp>

#include "example.hpp"

#include <cmath>

struct Range { // the smallest and the largest value so far
  float least, most;
};

struct Both { // an object, not a function: kernels have no function pointers
  Range operator()(const Range &a, const Range &b) const {
    return {a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
  }
};

int main(int argc, char **argv) {
  const std::size_t count = example::size(argc, argv, std::size_t{1} << 24, 100000);
  sycl::queue queue;
  float *values = sycl::malloc_shared<float>(count, queue);
  double dot = 0;
  Range seen{HUGE_VALF, -HUGE_VALF};
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(i * 31 % 1009) - 500.0f;
    dot += static_cast<double>(values[i]) * values[i];
    seen = Both()(seen, {values[i], values[i]});
  }
  const double bytes = 1e-9 * static_cast<double>(count * sizeof(float));

  double sum = 0;
  double seconds = example::seconds(queue, [&] {
    sycl::buffer<double> of_sum(&sum, 1);
    queue.submit([&](sycl::handler &group) {
      auto add = sycl::reduction(of_sum, group, sycl::plus<double>(),
                                 sycl::property::reduction::initialize_to_identity());
      group.parallel_for(sycl::range(count), add, [=](sycl::id<1> i, auto &all) {
        all += static_cast<double>(values[i]) * values[i];
      });
    });
  });
  example::row("reduction, sum of squares", sum == dot, seconds, bytes, "GB/s", // integers: exact
               "into a buffer");

  auto *range = sycl::malloc_shared<Range>(1, queue);
  auto *positive = sycl::malloc_shared<unsigned>(1, queue);
  const auto wanted = static_cast<unsigned>(
      std::count_if(values, values + count, [](float value) { return value > 0; }));
  seconds = example::seconds(queue, [&] {
    *range = {HUGE_VALF, -HUGE_VALF};
    *positive = 0;
    queue.parallel_for(
        sycl::range(count), sycl::reduction(range, Range{HUGE_VALF, -HUGE_VALF}, Both()),
        sycl::reduction(positive, sycl::plus<>()), [=](sycl::id<1> i, auto &extent, auto &number) {
          extent.combine(Range{values[i], values[i]});
          if (values[i] > 0)
            ++number;
        });
  });
  example::row("reductions, two at once",
               range->least == seen.least && range->most == seen.most && *positive == wanted,
               seconds, bytes, "GB/s", "one of the program's own type");
  sycl::free(values, queue);
  sycl::free(range, queue);
  sycl::free(positive, queue);
  return example::exit_code();
}
