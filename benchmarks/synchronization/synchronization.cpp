// What does constant synchronization between work-groups cost, and how much does the checker add?
// The variants are a lock around plain data, barriers of the whole launch, groups that wait for the
// one before them, and a pipe from which sub-groups reserve.
//
// Expectation: under the checker at most 10 times as slow. Chains and meetings of few
// groups are never slower than on one thread. Rival: plain C++, one thread per core.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <algorithm>
#include <atomic>

namespace lockstep::benchmarks {

namespace {

constexpr const char *file = "synchronization/synchronization.cl";
constexpr size_t group = 64;

// ---- a lock

Benchmark lock(Scale scale, size_t items_of_group, bool seq_cst = false) {
  auto sum = std::make_shared<std::vector<cl_uint>>(1);
  const size_t takes = size(scale, 100'032, 1'024);
  Benchmark b{.unit = "Mtake/s", .amount = 1e-6 * double(takes)};
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  if (seq_cst)
    b.needs.push_back("__opencl_c_atomic_order_seq_cst");
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel(file, seq_cst ? "lock_seq_cst" : "lock",
                            seq_cst ? "-cl-std=CL3.0 -DSEQ_CST" : "-cl-std=CL3.0");
    cl::Buffer free = s.scratch(sizeof(cl_uint)), result = s.output(*sum);
    s.arguments(k, free, result);
    return [=, &s] {
      s.queue.enqueueFillBuffer(free, cl_uint(0), 0, sizeof(cl_uint));
      s.queue.enqueueFillBuffer(result, cl_uint(0), 0, sizeof(cl_uint));
      s.launch(k, takes, items_of_group);
    };
  };
  const std::memory_order taken = seq_cst ? std::memory_order_seq_cst : std::memory_order_acquire,
                          given_back =
                              seq_cst ? std::memory_order_seq_cst : std::memory_order_release;
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::atomic<unsigned> is_taken = 0;
      (*sum)[0] = 0;
      t.split(takes, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          while (is_taken.exchange(1, taken))
            ;
          ++(*sum)[0];
          is_taken.store(0, given_back);
        }
      });
    };
  };
  b.verify = [=] { return (*sum)[0] == takes; };
  return b;
}

// ---- a barrier of the whole launch

void step(const std::vector<cl_uint> &from, std::vector<cl_uint> &to, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    to[i] = i == 0 || i + 1 == from.size() ? from[i] : from[i - 1] / 2 + from[i + 1] / 2;
}

// ---- a chain of groups

Benchmark chain(Scale scale, const char *kernel) {
  const size_t groups = size(scale, 2'048, 64), n = groups * group;
  auto values = std::make_shared<std::vector<cl_uint>>(n);
  Benchmark b{.unit = "Mgroup/s", .amount = 1e-6 * double(groups)};
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device",
             "__opencl_c_work_group_collective_functions"};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel(file, kernel, "-cl-std=CL3.0");
    cl::Buffer flags = s.scratch(groups * sizeof(cl_uint));
    s.arguments(k, s.output(*values), flags);
    return [=, &s] {
      s.queue.enqueueFillBuffer(flags, cl_uint(0), 0, groups * sizeof(cl_uint));
      s.launch(k, n, group);
    };
  };
  b.verify = [=] {
    for (size_t i = 0; i < n; ++i)
      if ((*values)[i] != i / group + 1)
        return false;
    return true;
  };
  return b;
}

// ---- a pipe

struct Packets {
  std::vector<cl_uint> values, taken;
};

} // namespace

Benchmark lock_groups_of_1(Scale scale) {
  return lock(scale, 1);
}
Benchmark lock_groups_of_64(Scale scale) {
  return lock(scale, group);
}
Benchmark lock_groups_of_1_seq_cst(Scale scale) {
  return lock(scale, 1, true);
}
Benchmark lock_groups_of_64_seq_cst(Scale scale) {
  return lock(scale, group, true);
}

Benchmark barrier_of_launch(Scale scale) {
  struct Rod {
    std::vector<cl_uint> cells, result, other;
  };
  auto d = std::make_shared<Rod>();
  const size_t n = size(scale, size_t(1) << 18, 1 << 10);
  constexpr cl_uint steps = 20; // an even number: the last one ends where the first one began
  d->cells.resize(n);
  for (size_t i = 0; i < n; ++i)
    d->cells[i] = cl_uint(scramble(i) % 1'000'000);
  d->result.resize(n);
  Benchmark b{.unit = "Mitem/s", .amount = 1e-6 * double(n) * steps};
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel(file, "heat", "-cl-std=CL3.0");
    cl::Buffer first = s.input(d->cells), a = s.output(d->result),
               arrived = s.scratch(2 * sizeof(cl_uint));
    const size_t bytes = n * sizeof(cl_uint);
    s.arguments(k, a, s.scratch(bytes), steps, arrived);
    return [=, &s] {
      s.queue.enqueueCopyBuffer(first, a, 0, 0, bytes);
      s.queue.enqueueFillBuffer(arrived, cl_uint(0), 0, 2 * sizeof(cl_uint));
      s.launch(k, n, group);
    };
  };
  b.native = [=](Threads &t) {
    d->other.resize(n);
    return [=, &t] {
      d->result = d->cells;
      for (cl_uint i = 0; i < steps; ++i) {
        const std::vector<cl_uint> &from = i % 2 ? d->other : d->result;
        std::vector<cl_uint> &to = i % 2 ? d->result : d->other;
        t.split(n, [&](size_t begin, size_t end) { step(from, to, begin, end); });
      }
    };
  };
  b.verify = [=] {
    std::vector<cl_uint> expected = d->cells, other(n);
    for (cl_uint i = 0; i < steps; ++i) {
      step(expected, other, 0, n);
      expected.swap(other);
    }
    return d->result == expected;
  };
  return b;
}

Benchmark chain_leader(Scale scale) {
  return chain(scale, "chain_leader");
}
Benchmark chain_all(Scale scale) {
  return chain(scale, "chain_all");
}

Benchmark meetings(Scale scale) {
  const cl_uint count = cl_uint(size(scale, 1'000, 20)); // an even number
  constexpr size_t n = 64 * group;
  auto values = std::make_shared<std::vector<cl_uint>>(2 * n);
  Benchmark b{.unit = "Mmeeting/s", .amount = 1e-6 * count};
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel(file, "meetings", "-cl-std=CL3.0");
    cl::Buffer all = s.output(*values), arrived = s.scratch(sizeof(cl_uint));
    s.arguments(k, all, arrived, count);
    return [=, &s] {
      s.queue.enqueueFillBuffer(all, cl_uint(0), 0, 2 * n * sizeof(cl_uint));
      s.queue.enqueueFillBuffer(arrived, cl_uint(0), 0, sizeof(cl_uint));
      s.launch(k, n, group);
    };
  };
  b.verify = [=] {
    return std::all_of(values->begin(), values->begin() + n,
                       [=](cl_uint value) { return value == count; });
  };
  return b;
}

Benchmark pipe_of_sub_groups(Scale scale) {
  auto d = std::make_shared<Packets>();
  d->values.resize(size(scale, size_t(1) << 16, 1 << 12));
  for (size_t i = 0; i < d->values.size(); ++i)
    d->values[i] = cl_uint(i + 1);
  d->taken.resize(d->values.size());
  Benchmark b{.unit = "Mpacket/s", .amount = 1e-6 * double(d->values.size())};
  b.needs = {"__opencl_c_pipes", "__opencl_c_subgroups"};
  b.opencl = [=](Session &s) {
    cl::Program program = s.program(file, "-cl-std=CL3.0 -DPIPES");
    cl::Kernel put(program, "put"), take(program, "take");
    cl::Pipe pipe(s.context, sizeof(cl_uint), cl_uint(d->values.size()));
    s.arguments(put, s.input(d->values), pipe);
    s.arguments(take, pipe, s.output(d->taken));
    return [=, &s] { // retains the pipe
      (void)pipe;
      s.launch(put, d->values.size(), group);
      s.launch(take, d->values.size(), group);
    };
  };
  b.verify = [=] { // each of them once, in any order
    std::vector<cl_uint> all = d->taken;
    std::sort(all.begin(), all.end());
    return all == d->values;
  };
  return b;
}

} // namespace lockstep::benchmarks
