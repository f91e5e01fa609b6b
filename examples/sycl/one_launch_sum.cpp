// The sum of an array in one launch: each group adds up its block, and the last group to arrive
// adds up all results.
//
// No group waits. The counter identifies the last group; release and acquire on it make the results
// of the others visible.
#include <sycl/sycl.hpp>

#include "example.hpp"

constexpr std::size_t group_size = 256;

static void sum(sycl::queue &queue, const int *values, std::size_t count, std::size_t groups,
                std::int64_t *results, unsigned *arrived, std::int64_t *total) {
  queue.fill(arrived, 0u, 1);
  queue.parallel_for(sycl::nd_range<1>(groups * group_size, group_size), [=](sycl::nd_item<1> me) {
    const auto group = me.get_group();
    std::int64_t mine = 0;
    for (std::size_t i = me.get_global_id(0); i < count; i += me.get_global_range(0))
      mine += values[i];
    const std::int64_t of_group = sycl::reduce_over_group(group, mine, sycl::plus<>());
    bool is_last = false;
    if (group.leader()) {
      results[me.get_group(0)] = of_group;
      const sycl::atomic_ref<unsigned, sycl::memory_order::acq_rel, sycl::memory_scope::device>
          counter(*arrived);
      is_last = counter.fetch_add(1) + 1 == me.get_group_range(0);
    }
    if (!sycl::group_broadcast(group, is_last))
      return;
    sycl::group_barrier(
        group); // orders the leader's acquire before the others' reads; a broadcast orders nothing
    std::int64_t rest = 0;
    for (std::size_t i = me.get_local_id(0); i < me.get_group_range(0); i += group_size)
      rest += results[i];
    rest = sycl::reduce_over_group(group, rest, sycl::plus<>());
    if (group.leader())
      *total = rest;
  });
}

int main(int argc, char **argv) {
  const std::size_t count = example::size(argc, argv, std::size_t{1} << 24, 1000003);
  const std::size_t groups = 512;
  sycl::queue queue{sycl::property::queue::in_order()};
  int *values = sycl::malloc_shared<int>(count, queue);
  auto *results = sycl::malloc_shared<std::int64_t>(groups, queue);
  auto *total = sycl::malloc_shared<std::int64_t>(1, queue);
  auto *arrived = sycl::malloc_shared<unsigned>(1, queue);
  std::int64_t wanted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<int>(i * 2654435761u >> 8);
    wanted += values[i];
  }
  const double seconds =
      example::seconds(queue, [&] { sum(queue, values, count, groups, results, arrived, total); });
  example::row("sum in one launch, by the last group", *total == wanted, seconds,
               1e-9 * static_cast<double>(count * sizeof(int)), "GB/s");
  sycl::free(values, queue);
  sycl::free(results, queue);
  sycl::free(total, queue);
  sycl::free(arrived, queue);
  return example::exit_code();
}
