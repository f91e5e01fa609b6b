// Do atomic operations cost only what their order and scope require of the processor?
//
// Expectation: device scope as fast as std::atomic in plain C++ or faster. Work-group scope and
// local memory as fast as counting without atomics, because one thread runs the group. Exchanges of
// floats as fast as those of std::atomic<float>.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <array>
#include <atomic>

namespace lockstep::benchmarks {

namespace {

constexpr size_t entries = 1024; // as in atomics.cl
constexpr size_t group = 256;

struct Data {
  std::vector<uint16_t> places;
  std::vector<uint32_t> table;
  std::vector<float> floats;
  size_t tables = 1; // consecutive, for this many items each
  std::vector<uint32_t> expected;

  Data(Scale scale, size_t items_of_table) {
    places.resize(size(scale, size_t(1) << 22, 1 << 14));
    if (items_of_table)
      tables = places.size() / items_of_table;
    table.resize(tables * entries);
    expected.resize(table.size());
    for (size_t i = 0; i < places.size(); ++i)
      ++expected[i * tables / places.size() * entries + (places[i] = scramble(i) % entries)];
  }
};

Benchmark benchmark(const std::shared_ptr<Data> &d) {
  Benchmark b{.unit = "Gop/s", .amount = 1e-9 * double(d->places.size())};
  b.verify = [=] { return d->table == d->expected; };
  b.needs = {"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"};
  return b;
}

cl::Kernel kernel_of(Session &s, const char *name) {
  return s.kernel("atomics/atomics.cl", name, "-cl-std=CL3.0");
}

Benchmark shared_table(Scale scale, const char *kernel, std::memory_order order) {
  auto d = std::make_shared<Data>(scale, 0);
  Benchmark b = benchmark(d);
  b.opencl = [=](Session &s) {
    cl::Kernel k = kernel_of(s, kernel);
    cl::Buffer table = s.output(d->table);
    s.arguments(k, s.input(d->places), table);
    return [=, &s] {
      s.queue.enqueueFillBuffer(table, cl_uint(0), 0, entries * sizeof(cl_uint));
      s.launch(k, d->places.size(), group);
    };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::fill(d->table.begin(), d->table.end(), 0);
      t.split(d->places.size(), [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          std::atomic_ref(d->table[d->places[i]]).fetch_add(1, order);
      });
    };
  };
  return b;
}

} // namespace

Benchmark atomic_relaxed(Scale scale) {
  return shared_table(scale, "relaxed", std::memory_order_relaxed);
}
Benchmark atomic_acq_rel(Scale scale) {
  return shared_table(scale, "acq_rel", std::memory_order_acq_rel);
}

Benchmark atomic_group_scope(Scale scale) {
  constexpr size_t large_group = 4096;
  auto d = std::make_shared<Data>(scale, large_group);
  Benchmark b = benchmark(d);
  b.opencl = [=](Session &s) {
    cl::Kernel k = kernel_of(s, "group_scope");
    cl::Buffer tables = s.output(d->table);
    s.arguments(k, s.input(d->places), tables);
    return [=, &s] {
      s.queue.enqueueFillBuffer(tables, cl_uint(0), 0, d->table.size() * sizeof(cl_uint));
      s.launch(k, d->places.size(), large_group);
    };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(d->tables, [&](size_t begin, size_t end) {
        for (size_t of = begin; of < end; ++of) {
          uint32_t *const mine = &d->table[of * entries];
          std::fill_n(mine, entries, 0);
          for (size_t i = of * large_group; i < (of + 1) * large_group; ++i)
            ++mine[d->places[i]];
        }
      });
    };
  };
  b.sycl = "atomic_group_scope";
  b.sycl_data = {d->places.size(),
                 {d->places.data()},
                 {d->places.size() * sizeof(uint16_t)},
                 d->table.data(),
                 d->table.size() * sizeof(uint32_t)};
  return b;
}

Benchmark atomic_local(Scale scale) {
  auto d = std::make_shared<Data>(scale, 0);
  Benchmark b = benchmark(d);
  const cl_uint rounds = 64;
  b.opencl = [=](Session &s) {
    cl::Kernel k = kernel_of(s, "in_local");
    cl::Buffer table = s.output(d->table);
    s.arguments(k, s.input(d->places), rounds, table);
    return [=, &s] {
      s.queue.enqueueFillBuffer(table, cl_uint(0), 0, entries * sizeof(cl_uint));
      s.launch(k, d->places.size() / rounds, group);
    };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::fill(d->table.begin(), d->table.end(), 0);
      t.split(t.count(), [&](size_t first, size_t last) {
        const size_t begin = d->places.size() * first / t.count(),
                     end = d->places.size() * last / t.count();
        std::array<uint32_t, entries> mine{};
        for (size_t i = begin; i < end; ++i)
          ++mine[d->places[i]];
        for (size_t i = 0; i < entries; ++i)
          std::atomic_ref(d->table[i]).fetch_add(mine[i], std::memory_order_relaxed);
      });
    };
  };
  return b;
}

// Quarters of small numbers, so that no sum is rounded.
Benchmark atomic_float_exchange(Scale scale) {
  auto d = std::make_shared<Data>(scale, 0);
  d->floats.resize(entries);
  Benchmark b = benchmark(d);
  b.opencl = [=](Session &s) {
    cl::Kernel k = kernel_of(s, "float_exchange");
    cl::Buffer table = s.output(d->floats);
    s.arguments(k, s.input(d->places), table);
    return [=, &s] {
      s.queue.enqueueFillBuffer(table, cl_float(0), 0, entries * sizeof(cl_float));
      s.launch(k, d->places.size(), group);
    };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::fill(d->floats.begin(), d->floats.end(), 0.0f);
      t.split(d->places.size(), [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          std::atomic_ref to(d->floats[d->places[i]]);
          float before = to.load(std::memory_order_relaxed);
          while (!to.compare_exchange_weak(before, before + 0.25f, std::memory_order_relaxed))
            ;
        }
      });
    };
  };
  b.verify = [=] {
    for (size_t i = 0; i < entries; ++i)
      if (d->floats[i] != 0.25f * float(d->expected[i]))
        return false;
    return true;
  };
  return b;
}

} // namespace lockstep::benchmarks
