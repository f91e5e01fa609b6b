// What does synchronization cost if groups are short: 256 work-items with one element each?
//
// Each group swaps into one word, takes one lock, takes a ticket, counts its arrival, appends to a
// list, or feeds a tree of groups in one launch. Expectation: locks and tickets are never slower
// than on one thread, since their cache lines need not travel for each group, and neither are
// counters. The tree in one launch reaches 0.6 of the tree in three, in both orders. Rival: plain
// C++, one product, sum or list per thread.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <numeric>

namespace lockstep::benchmarks {

namespace {

constexpr const char *file = "short_groups/short_groups.cl";
constexpr size_t group = 256;

struct Data {
  std::vector<int32_t> values, result = std::vector<int32_t>(1);
  int32_t expected = 0;
};

using Multiply = std::multiplies<uint32_t>;
using Add = std::plus<uint32_t>;

template <class Combine> std::shared_ptr<Data> data_of(Scale scale, uint32_t start) {
  auto d = std::make_shared<Data>();
  d->values = random_ints(size(scale, size_t(1) << 24, size_t(1) << 16), 7);
  for (int32_t &value : d->values)
    value |= 1; // so that no product is 0
  d->expected =
      int32_t(std::accumulate(d->values.begin(), d->values.end(), start,
                              [=](uint32_t a, int32_t b) { return Combine()(a, uint32_t(b)); }));
  return d;
}

template <class Combine> Benchmark benchmark(const std::shared_ptr<Data> &d, uint32_t start) {
  Benchmark b{.unit = "GB/s", .amount = sizeof(int32_t) * 1e-9 * double(d->values.size())};
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::vector<uint32_t> parts(t.count(), start);
      t.split(t.count(), [&](size_t begin, size_t end) {
        const size_t n = d->values.size(), pieces = parts.size();
        for (size_t piece = begin; piece < end; ++piece) {
          uint32_t mine = start;
          for (size_t i = n * piece / pieces; i < n * (piece + 1) / pieces; ++i)
            mine = Combine()(mine, uint32_t(d->values[i]));
          parts[piece] = mine;
        }
      });
      d->result[0] = int32_t(std::accumulate(parts.begin(), parts.end(), start, Combine()));
    };
  };
  b.verify = [=] { return d->result[0] == d->expected; };
  return b;
}

Benchmark product(Scale scale, const char *kernel, bool has_lock) {
  const auto d = data_of<Multiply>(scale, 1);
  Benchmark b = benchmark<Multiply>(d, 1);
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel(file, kernel, "-cl-std=CL3.0");
    constexpr size_t lock_bytes = 32 * sizeof(cl_uint);
    cl::Buffer lock = s.scratch(lock_bytes), result = s.output(d->result);
    k.setArg(0, s.input(d->values));
    k.setArg(1, result);
    if (has_lock)
      k.setArg(2, lock);
    return [=, &s] {
      s.queue.enqueueFillBuffer(lock, cl_uint(0), 0, lock_bytes);
      s.queue.enqueueFillBuffer(result, cl_int(1), 0, sizeof(cl_int));
      s.launch(k, d->values.size(), group);
    };
  };
  return b;
}

Benchmark last_group(Scale scale) {
  const auto d = data_of<Add>(scale, 0);
  Benchmark b = benchmark<Add>(d, 0);
  b.opencl = [=](Session &s) {
    const size_t groups = d->values.size() / group;
    cl::Kernel k = s.kernel(file, "by_last", "-cl-std=CL3.0");
    cl::Buffer sums = s.scratch(groups * sizeof(cl_int)), arrived = s.scratch(sizeof(cl_uint)),
               total = s.output(d->result);
    s.arguments(k, s.input(d->values), sums, arrived, total);
    return [=, &s] {
      s.queue.enqueueFillBuffer(arrived, cl_uint(0), 0, sizeof(cl_uint));
      s.launch(k, groups * group, group);
    };
  };
  return b;
}

struct List {
  std::vector<int32_t> values, odd, expected;
  std::vector<uint32_t> count = std::vector<uint32_t>(1);
};

// The order of the list is unspecified.
Benchmark append(Scale scale, const char *kernel) {
  auto d = std::make_shared<List>();
  d->values = random_ints(size(scale, size_t(1) << 24, size_t(1) << 16), 7);
  d->odd.resize(d->values.size());
  std::copy_if(d->values.begin(), d->values.end(), std::back_inserter(d->expected),
               [](int32_t value) { return value & 1; });
  std::sort(d->expected.begin(), d->expected.end());
  Benchmark b{.unit = "GB/s", .amount = sizeof(int32_t) * 1e-9 * double(d->values.size())};
  b.needs = {"__opencl_c_atomic_scope_device", "__opencl_c_work_group_collective_functions"};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel(file, kernel, "-cl-std=CL3.0");
    cl::Buffer count = s.output(d->count);
    s.arguments(k, s.input(d->values), s.output(d->odd), count);
    return [=, &s] {
      s.queue.enqueueFillBuffer(count, cl_uint(0), 0, sizeof(cl_uint));
      s.launch(k, d->values.size(), group);
    };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::atomic<uint32_t> count = 0;
      t.split(d->values.size() / group, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          const auto first = d->values.begin() + ptrdiff_t(i * group), last = first + group;
          const auto mine = uint32_t(std::count_if(first, last, [](int32_t v) { return v & 1; }));
          auto to = d->odd.begin() + count.fetch_add(mine, std::memory_order_relaxed);
          std::copy_if(first, last, to, [](int32_t v) { return v & 1; });
        }
      });
      d->count[0] = count;
    };
  };
  b.verify = [=] {
    if (d->count[0] != d->expected.size())
      return false;
    std::vector<int32_t> list(d->odd.begin(), d->odd.begin() + d->count[0]);
    std::sort(list.begin(), list.end());
    return list == d->expected;
  };
  return b;
}

Benchmark tree(Scale scale, bool is_reversed) {
  const auto d = data_of<Add>(scale, 0);
  Benchmark b = benchmark<Add>(d, 0);
  b.opencl = [=](Session &s) {
    const size_t n = d->values.size();
    size_t groups = 0;
    for (size_t level = n / group; level > 0; level /= group)
      groups += level;
    cl::Kernel k = s.kernel(file, "tree", "-cl-std=CL3.0");
    cl::Buffer sums = s.scratch(groups * sizeof(cl_int)),
               arrived = s.scratch(groups * sizeof(cl_uint)), total = s.output(d->result);
    s.arguments(k, s.input(d->values), cl_uint(n), sums, arrived, total, cl_uint(is_reversed));
    return [=, &s] {
      s.queue.enqueueFillBuffer(arrived, cl_uint(0), 0, groups * sizeof(cl_uint));
      s.launch(k, groups * group, group);
    };
  };
  return b;
}

} // namespace

Benchmark short_groups_swap(Scale scale) {
  return product(scale, "by_swap", false);
}
Benchmark short_groups_lock(Scale scale) {
  return product(scale, "by_lock", true);
}
Benchmark short_groups_ticket(Scale scale) {
  return product(scale, "by_ticket", true);
}
Benchmark short_groups_last(Scale scale) {
  return last_group(scale);
}
Benchmark short_groups_append(Scale scale) {
  return append(scale, "append");
}
Benchmark short_groups_append_each(Scale scale) {
  return append(scale, "append_each");
}
Benchmark short_groups_tree(Scale scale) {
  return tree(scale, false);
}
Benchmark short_groups_tree_reversed(Scale scale) {
  return tree(scale, true);
}
Benchmark short_groups_tree_by_level(Scale scale) {
  const auto d = data_of<Add>(scale, 0);
  Benchmark b = benchmark<Add>(d, 0);
  b.opencl = [=](Session &s) {
    cl::Program program = s.program(file, "-cl-std=CL3.0");
    std::vector<std::pair<cl::Kernel, size_t>> levels;
    cl::Buffer from = s.input(d->values);
    for (size_t items = d->values.size(); items > 1; items /= group) {
      cl::Buffer to =
          items == group ? s.output(d->result) : s.scratch(items / group * sizeof(cl_int));
      cl::Kernel k(program, "level");
      s.arguments(k, from, to);
      levels.emplace_back(k, items);
      from = to;
    }
    return [=, &s]() mutable {
      for (auto &[k, items] : levels)
        s.launch(k, items, group);
    };
  };
  return b;
}

} // namespace lockstep::benchmarks
