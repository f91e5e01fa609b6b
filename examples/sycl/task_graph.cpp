// Dependencies between commands follow from their memory accesses. The example shows every kind.
// Accessors, also of parts of a buffer, give read after write, write after read and write after
// write. USM uses events or an in-order queue. A host task runs between kernels, and the host
// itself accesses a buffer.
#include <sycl/sycl.hpp>

#include "example.hpp"

constexpr std::size_t count = 1 << 16;

// Accessors are sufficient: there is no explicit wait.
static bool by_accessors(sycl::queue &queue) {
  std::vector<int> from(count), out(count);
  for (std::size_t i = 0; i < count; ++i)
    from[i] = static_cast<int>(i);
  {
    sycl::buffer<int> source(from), work{sycl::range(count)}, result(out);
    queue.submit([&](sycl::handler &group) { // writes `work`
      sycl::accessor in(source, group, sycl::read_only);
      sycl::accessor to(work, group, sycl::write_only, sycl::no_init);
      group.parallel_for(count, [=](sycl::id<1> i) { to[i] = in[i] + 1; });
    });
    queue.submit([&](sycl::handler &group) { // read after write
      sycl::accessor in(work, group, sycl::read_only);
      sycl::accessor to(result, group, sycl::write_only, sycl::no_init);
      group.parallel_for(count, [=](sycl::id<1> i) { to[i] = 2 * in[i]; });
    });
    queue.submit(
        [&](sycl::handler &group) { // write after read: the command above reads the old values
          sycl::accessor to(work, group, sycl::write_only, sycl::no_init);
          group.parallel_for(count, [=](sycl::id<1> i) { to[i] = -7; });
        });
    sycl::buffer<int> half(work, sycl::range(count / 2), sycl::range(count / 2));
    queue.submit([&](sycl::handler &group) { // write after write, of the upper half only
      sycl::accessor to(half, group, sycl::write_only, sycl::no_init);
      group.parallel_for(count / 2, [=](sycl::id<1> i) { to[i] = static_cast<int>(i[0]); });
    });
    queue.submit([&](sycl::handler &group) { // a host task is a command like the others
      sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> all(work,
                                                                                         group);
      group.host_task([=] {
        for (std::size_t i = 0; i < count; ++i)
          all[i] += 1000;
      });
    });
    {
      sycl::host_accessor seen(work); // waits for all of them, and delays the next one
      for (std::size_t i = 0; i < count; ++i) {
        const int wanted = i < count / 2 ? 993 : static_cast<int>(i - count / 2) + 1000;
        if (seen[i] != wanted)
          return false;
        seen[i] = static_cast<int>(i) * 3;
      }
    }
    queue.submit([&](sycl::handler &group) {
      sycl::accessor in(work, group, sycl::read_only);
      sycl::accessor to(result, group);
      group.parallel_for(count, [=](sycl::id<1> i) { to[i] += in[i]; });
    });
  } // the buffers' destructors write `out` back
  for (std::size_t i = 0; i < count; ++i)
    if (out[i] != 2 * (static_cast<int>(i) + 1) + static_cast<int>(i) * 3)
      return false;
  return true;
}

// USM: the program states the dependencies by events. They form a diamond.
static bool by_events(sycl::queue &queue) {
  int *a = sycl::malloc_device<int>(count, queue), *b = sycl::malloc_device<int>(count, queue);
  int *sum = sycl::malloc_shared<int>(count, queue);
  const sycl::event first = queue.fill(a, 5, count);
  const sycl::event left = queue.parallel_for(
      sycl::range(count), first, [=](sycl::id<1> i) { b[i] = a[i] + static_cast<int>(i[0]); });
  const sycl::event right = queue.submit([&](sycl::handler &group) {
    group.depends_on(first);
    group.parallel_for(count, [=](sycl::id<1> i) { sum[i] = 10 * a[i]; });
  });
  queue.parallel_for(sycl::range(count), {left, right}, [=](sycl::id<1> i) { sum[i] += b[i]; })
      .wait();
  bool right_sums = true;
  for (std::size_t i = 0; i < count; ++i)
    right_sums &= sum[i] == 55 + static_cast<int>(i);
  for (int *memory : {a, b, sum})
    sycl::free(memory, queue);
  return right_sums;
}

// An in-order queue needs no events.
static bool in_order() {
  sycl::queue queue{sycl::property::queue::in_order()};
  int *values = sycl::malloc_device<int>(count, queue);
  std::vector<int> out(count);
  queue.fill(values, 1, count);
  for (int round = 0; round < 10; ++round)
    queue.parallel_for(sycl::range(count),
                       [=](sycl::id<1> i) { values[i] = 3 * values[i] % 1000; });
  queue.copy(values, out.data(), count).wait();
  int wanted = 1;
  for (int round = 0; round < 10; ++round)
    wanted = 3 * wanted % 1000;
  sycl::free(values, queue);
  return std::all_of(out.begin(), out.end(), [=](int value) { return value == wanted; });
}

// Measures the cost of a dependency: empty kernels, each of which depends on the one before.
static double seconds_of_chain(sycl::queue &queue, int length) {
  sycl::buffer<int> one{sycl::range(1)};
  return example::seconds(queue, [&] {
    for (int i = 0; i < length; ++i)
      queue.submit([&](sycl::handler &group) {
        sycl::accessor to(one, group, sycl::read_write);
        group.single_task([=] { to[0] = i; });
      });
  });
}

int main(int argc, char **argv) {
  const int length = static_cast<int>(example::size(argc, argv, 1000, 50));
  sycl::queue queue; // out of order
  const auto row = [&](const char *what, auto run) {
    bool is_right = true;
    const double seconds = example::seconds(queue, [&] { is_right &= run(); });
    example::row(what, is_right, seconds, 0, "");
  };
  row("task graph by accessors", [&] { return by_accessors(queue); });
  row("task graph by events", [&] { return by_events(queue); });
  row("task graph by an in-order queue", [&] { return in_order(); });
  example::row("a kernel after a kernel, by accessors", true, seconds_of_chain(queue, length),
               length * 1e-3, "kernels/ms");
  return example::exit_code();
}
