// What do barriers cost? A tree reduction does almost nothing between its barriers.
//
// Expectation: `tree_4096x64` at least 10 times as fast as PoCL 3.1 and within a factor of 3 of C++
// that was split by hand into loops at the barriers. The strided versions, which are mostly a plain
// loop, run at the speed of reading memory. Rivals: for the trees, C++ with the same work as the
// kernel, a loop over the work-items between two barriers; for the others, a plain sum.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <numeric>

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<int32_t> values, sums;
  int32_t expected;
};

// All sums wrap: the order does not matter.
int32_t wrapping_sum(const std::vector<int32_t> &values) {
  uint32_t sum = 0;
  for (int32_t value : values)
    sum += uint32_t(value);
  return int32_t(sum);
}

std::shared_ptr<Data> make_data(size_t n, size_t sums) {
  auto d = std::make_shared<Data>(Data{random_ints(n, 3), std::vector<int32_t>(sums), 0});
  d->expected = wrapping_sum(d->values);
  return d;
}

constexpr size_t most_items = 256;

// Does the work of the kernel `tree` for one work-group, in loops over its work-items.
int32_t tree_of_group(const int32_t *values, size_t items) {
  int32_t partial[most_items];
  for (size_t me = 0; me < items; ++me)
    partial[me] = values[me];
  for (size_t step = items / 2; step > 0; step /= 2)
    for (size_t me = 0; me < step; ++me)
      partial[me] = int32_t(uint32_t(partial[me]) + uint32_t(partial[me + step]));
  return partial[0];
}

// The same for each group, in a loop over the groups.
std::function<std::function<void()>(Threads &)> native_trees(std::shared_ptr<Data> d, size_t groups,
                                                             size_t items) {
  return [=](Threads &t) {
    return [=, &t] {
      t.split(groups, [&](size_t begin, size_t end) {
        for (size_t group = begin; group < end; ++group)
          d->sums[group] = tree_of_group(&d->values[group * items], items);
      });
    };
  };
}

Benchmark tree(size_t groups, size_t items) {
  auto d = make_data(groups * items, groups);
  Benchmark b{.unit = "GB/s", .amount = sizeof(int32_t) * 1e-9 * double(groups * items)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("reduction/reduction.cl", "tree");
    s.arguments(k, s.input(d->values), s.output(d->sums), cl::Local(items * sizeof(int32_t)));
    return [=, &s] { s.launch(k, groups * items, items); };
  };
  b.native = native_trees(d, groups, items);
  b.verify = [=] { return wrapping_sum(d->sums) == d->expected; };
  return b;
}

void plain_sum(Threads &t, Data &d, std::vector<int32_t> &sums) {
  std::fill(sums.begin(), sums.end(), 0);
  const size_t pieces = t.count();
  t.split(pieces, [&](size_t begin, size_t end) {
    for (size_t piece = begin; piece < end; ++piece) {
      uint32_t sum = 0;
      for (size_t i = d.values.size() * piece / pieces; i < d.values.size() * (piece + 1) / pieces;
           ++i)
        sum += uint32_t(d.values[i]);
      sums[piece] = int32_t(sum);
    }
  });
}

std::function<std::function<void()>(Threads &)> native_sum(std::shared_ptr<Data> d) {
  return [=](Threads &t) {
    return [=, &t] {
      std::vector<int32_t> sums(t.count());
      plain_sum(t, *d, sums);
      d->sums[0] = wrapping_sum(sums);
    };
  };
}

constexpr size_t strided_groups = 4096, strided_items = 256;

Benchmark strided(Scale scale, const char *kernel, const char *options, bool local_memory) {
  auto d = make_data(size(scale, size_t(1) << 26, 1 << 20), strided_groups);
  Benchmark b{.unit = "GB/s", .amount = sizeof(int32_t) * 1e-9 * double(d->values.size())};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("reduction/reduction.cl", kernel, options);
    s.arguments(k, s.input(d->values), cl_uint(d->values.size()), s.output(d->sums));
    if (local_memory)
      k.setArg(3, cl::Local(strided_items * sizeof(int32_t)));
    return [=, &s] { s.launch(k, strided_groups * strided_items, strided_items); };
  };
  b.native = [=](Threads &t) { return [=, &t] { plain_sum(t, *d, d->sums); }; };
  b.sycl_data = {d->values.size(),
                 {d->values.data()},
                 {d->values.size() * sizeof(int32_t)},
                 d->sums.data(),
                 d->sums.size() * sizeof(int32_t)};
  b.verify = [=] { return wrapping_sum(d->sums) == d->expected; };
  return b;
}

constexpr size_t tree_items = 256, feeders = 256; // of reduction.cl

// The complete sum, with one int per work-item, in a single launch whose groups wait for others.
Benchmark one_launch(size_t groups) {
  const size_t leaders = groups / feeders;
  auto d = make_data(groups * tree_items, 1);
  Benchmark b{.unit = "GB/s", .amount = sizeof(int32_t) * 1e-9 * double(groups * tree_items)};
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  b.opencl = [=](Session &s) {
    cl::Kernel k =
        s.kernel("reduction/reduction.cl", "tree_one_launch", "-cl-std=CL3.0 -DONE_LAUNCH");
    const size_t counters = (1 + leaders) * sizeof(cl_uint);
    cl::Buffer arrived = s.scratch(counters);
    s.arguments(k, s.input(d->values), s.scratch(groups * sizeof(int32_t)), arrived,
                s.output(d->sums), cl::Local(tree_items * sizeof(int32_t)));
    return [=, &s] {
      s.queue.enqueueFillBuffer(arrived, cl_uint(0), 0, counters);
      s.launch(k, groups * tree_items, tree_items);
    };
  };
  b.native = native_sum(d);
  b.verify = [=] { return d->sums[0] == d->expected; };
  return b;
}

// The same without groups that wait: a second launch of one group adds the results of the first
// one.
Benchmark two_launches(size_t groups) {
  auto d = make_data(groups * tree_items, 1);
  Benchmark b{.unit = "GB/s", .amount = sizeof(int32_t) * 1e-9 * double(groups * tree_items)};
  b.opencl = [=](Session &s) {
    cl::Kernel first = s.kernel("reduction/reduction.cl", "tree"),
               second = s.kernel("reduction/reduction.cl", "strided_tree");
    cl::Buffer sums = s.scratch(groups * sizeof(int32_t));
    const cl::LocalSpaceArg partial = cl::Local(tree_items * sizeof(int32_t));
    s.arguments(first, s.input(d->values), sums, partial);
    s.arguments(second, sums, cl_uint(groups), s.output(d->sums), partial);
    return [=, &s] {
      s.launch(first, groups * tree_items, tree_items);
      s.launch(second, tree_items, tree_items);
    };
  };
  b.native = native_sum(d);
  b.verify = [=] { return d->sums[0] == d->expected; };
  return b;
}

} // namespace

Benchmark tree_4096x64(Scale) {
  return tree(4096, 64);
}
Benchmark tree_2_26(Scale scale) {
  return tree(size(scale, size_t(1) << 18, 1 << 10), 256);
}
Benchmark sum_strided_tree(Scale scale) {
  return strided(scale, "strided_tree", "", true);
}

Benchmark sum_work_group_reduce(Scale scale) {
  Benchmark b = strided(scale, "collective", "-cl-std=CL3.0 -DCOLLECTIVES", false);
  b.needs = {"__opencl_c_work_group_collective_functions"};
  b.sycl = "sum_reduce_over_group";
  return b;
}

Benchmark tree_one_launch(Scale scale) {
  return one_launch(size(scale, size_t(1) << 16, 1 << 10));
}
Benchmark tree_two_launches(Scale scale) {
  return two_launches(size(scale, size_t(1) << 16, 1 << 10));
}
Benchmark tree_one_launch_2_28(Scale scale) {
  return one_launch(size(scale, size_t(1) << 20, 1 << 11));
}
Benchmark tree_two_launches_2_28(Scale scale) {
  return two_launches(size(scale, size_t(1) << 20, 1 << 11));
}

// 16,384 groups that read, 64 that wait for them, and one that waits for these: each work-item
// reads 64 ints.
Benchmark sum_in_groups_that_wait(Scale scale) {
  constexpr size_t items = 64;
  const size_t leaves = size(scale, size_t(1) << 14, 1 << 10), parents = leaves / feeders,
               groups = leaves + parents + 1;
  const cl_uint per_item = cl_uint(size(scale, 64, 4));
  auto d = make_data(leaves * items * per_item, 1);
  Benchmark b{.unit = "GB/s", .amount = sizeof(int32_t) * 1e-9 * double(d->values.size())};
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  b.opencl = [=](Session &s) {
    cl::Kernel k =
        s.kernel("reduction/reduction.cl", "sum_in_groups_that_wait", "-cl-std=CL3.0 -DONE_LAUNCH");
    const size_t counters = (parents + 1) * sizeof(cl_uint);
    cl::Buffer arrived = s.scratch(counters);
    s.arguments(k, s.input(d->values), per_item, cl_uint(leaves),
                s.scratch(groups * sizeof(int32_t)), arrived, s.output(d->sums),
                cl::Local(items * sizeof(int32_t)));
    return [=, &s] {
      s.queue.enqueueFillBuffer(arrived, cl_uint(0), 0, counters);
      s.launch(k, groups * items, items);
    };
  };
  b.native = native_sum(d);
  b.verify = [=] { return d->sums[0] == d->expected; };
  return b;
}

// A kernel that could wait, but never does: its cost compared with tree_2_26.
Benchmark tree_that_could_wait(Scale scale) {
  constexpr size_t items = 256;
  const size_t groups = size(scale, size_t(1) << 16, 1 << 10);
  Benchmark b = tree(groups, items);
  auto d = make_data(groups * items, groups);
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  b.opencl = [=](Session &s) {
    cl::Kernel k =
        s.kernel("reduction/reduction.cl", "tree_that_could_wait", "-cl-std=CL3.0 -DONE_LAUNCH");
    cl::Buffer busy = s.scratch(sizeof(cl_uint));
    s.queue.enqueueFillBuffer(busy, cl_uint(0), 0, sizeof(cl_uint));
    s.arguments(k, s.input(d->values), s.output(d->sums), busy, cl::Local(items * sizeof(int32_t)));
    return [=, &s] { s.launch(k, groups * items, items); };
  };
  b.native = native_trees(d, groups, items);
  b.verify = [=] { return wrapping_sum(d->sums) == d->expected; };
  return b;
}

Benchmark sum_last_group(Scale scale) {
  auto d = make_data(size(scale, size_t(1) << 26, 1 << 20), 1);
  Benchmark b{.unit = "GB/s", .amount = sizeof(int32_t) * 1e-9 * double(d->values.size())};
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("reduction/reduction.cl", "last_group", "-cl-std=CL3.0 -DLAST_GROUP");
    cl::Buffer finished = s.scratch(sizeof(cl_uint));
    s.arguments(k, s.input(d->values), cl_uint(d->values.size()),
                s.scratch(strided_groups * sizeof(int32_t)), finished, s.output(d->sums),
                cl::Local(strided_items * sizeof(int32_t)));
    return [=, &s] {
      s.queue.enqueueFillBuffer(finished, cl_uint(0), 0, sizeof(cl_uint));
      s.launch(k, strided_groups * strided_items, strided_items);
    };
  };
  b.native = native_sum(d);
  b.verify = [=] { return d->sums[0] == d->expected; };
  return b;
}

} // namespace lockstep::benchmarks
