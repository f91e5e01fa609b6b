// The sum of a large array of ints in one launch.
//
// What it teaches: work-groups can wait for each other if the device guarantees that each makes
// progress, however many there are. Here 256 groups feed one of the next level. The parent must
// wait for all of them: each feeder increments a counter with release, and the parent waits, with
// acquire, for the full count. one_launch_sum_wrong.cpp shows what happens with less.
//
// Checked against: a plain loop, in 64 bits. Integer sums are exact in any order.
#include "one_launch_sum.h"

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    if (!example::may_wait(e, "sum in one launch"))
      return;
    cl::Program program = e.build("one_launch_sum.cl", "-cl-std=CL3.0");
    bool verified = true;
    for (size_t n : {1, 255, 256, 257, 65'537, 1'000'003})
      for (unsigned per_item : {1u, 3u}) {
        one_launch_sum::Problem problem(e, n, per_item);
        verified = problem.sum_in_one_launch(program) == problem.expected && verified;
      }
    std::vector<size_t> sizes = {size_t(1) << 16, size_t(1) << 20};
    if (e.size(1, 0))
      sizes = {size_t(1) << 16, size_t(1) << 24, size_t(1) << 28};
    for (size_t n : sizes) {
      one_launch_sum::Problem problem(e, n,
                                      n <= (size_t(1) << 16)   ? 1
                                      : n <= (size_t(1) << 24) ? 64
                                                               : 256);
      const std::string ints = std::to_string(n) + " ints";
      double seconds = e.seconds([&] { problem.enqueue_one_launch(program); });
      e.row("sum in one launch, " + ints, verified && problem.total() == problem.expected, seconds,
            double(n) * 4e-9, "GB/s", std::to_string(problem.groups) + " groups");
      seconds = e.seconds([&] { problem.enqueue_two_launches(program); });
      e.row("sum in two launches, " + ints, problem.total_of_two() == problem.expected, seconds,
            double(n) * 4e-9, "GB/s");
    }
  });
}
