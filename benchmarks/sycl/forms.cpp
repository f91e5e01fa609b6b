// The SYCL versions of benchmarks, compiled by lockstep++. Memory is USM and queues are in order,
// unless a benchmark measures something else.
#include "benchmarks/sycl/forms.h"

#include <sycl/sycl.hpp>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

namespace lockstep::benchmarks {
namespace {

class Form : public SyclForm {
public:
  explicit Form(const SyclData &data) : data_(data) {
    for (int i = 0; i < 2; ++i)
      if (data.in_bytes[i])
        std::memcpy(in_[i] = sycl::malloc_shared(data.in_bytes[i], queue), data.in[i],
                    data.in_bytes[i]);
    if (data.out_bytes)
      out_ = sycl::malloc_shared(data.out_bytes, queue);
  }
  ~Form() override {
    for (void *memory : {in_[0], in_[1], out_})
      sycl::free(memory, queue);
  }
  Form(const Form &) = delete;
  Form &operator=(const Form &) = delete;

  std::function<void()> call;
  sycl::queue queue{sycl::property::queue::in_order()};

  std::size_t n() const { return data_.n; }
  template <class T> const T *in(int i) const { return static_cast<const T *>(in_[i]); }
  template <class T> T *out() const { return static_cast<T *>(out_); }

  void start() override { call(); }
  void wait() override { queue.wait(); }
  void clear_outputs() override { std::memset(out_, 0xcc, data_.out_bytes); }
  void fetch_outputs() override { std::memcpy(data_.out, out_, data_.out_bytes); }

private:
  const SyclData data_;
  void *in_[2] = {}, *out_ = nullptr;
};

// ---- the four matrix products (matrix_product/matrix_product.cl)

struct Matrices {
  unsigned n;
  const float *a, *b; // row-major
  float *c;
};
Matrices matrices_of(const Form &form) {
  return {unsigned(form.n()), form.in<float>(0), form.in<float>(1), form.out<float>()};
}
constexpr unsigned tile = 16;

void matrix_range(Form &form) {
  form.call = [&form, m = matrices_of(form)] {
    form.queue.parallel_for(sycl::range<2>(m.n, m.n), [=](sycl::id<2> me) {
      const unsigned row = unsigned(me[0]), column = unsigned(me[1]);
      float sum = 0;
      for (unsigned k = 0; k < m.n; ++k)
        sum += m.a[row * m.n + k] * m.b[k * m.n + column];
      m.c[row * m.n + column] = sum;
    });
  };
}

void matrix_tiles(Form &form) {
  form.call = [&form, m = matrices_of(form)] {
    form.queue.submit([&](sycl::handler &group) {
      sycl::local_accessor<float, 2> a_tile({tile, tile}, group), b_tile({tile, tile}, group);
      group.parallel_for(sycl::nd_range<2>({m.n, m.n}, {tile, tile}), [=](sycl::nd_item<2> me) {
        const unsigned y = unsigned(me.get_local_id(0)), x = unsigned(me.get_local_id(1));
        const unsigned row = unsigned(me.get_global_id(0)), column = unsigned(me.get_global_id(1));
        float sum = 0;
        for (unsigned start = 0; start < m.n; start += tile) {
          a_tile[y][x] = m.a[row * m.n + start + x];
          b_tile[y][x] = m.b[(start + y) * m.n + column];
          sycl::group_barrier(me.get_group());
          for (unsigned i = 0; i < tile; ++i)
            sum += a_tile[y][i] * b_tile[i][x];
          sycl::group_barrier(me.get_group());
        }
        m.c[row * m.n + column] = sum;
      });
    });
  };
}

void matrix_hierarchical(Form &form) {
  form.call = [&form, m = matrices_of(form)] {
    form.queue.submit([&](sycl::handler &group) {
      group.parallel_for_work_group(
          sycl::range<2>(m.n / tile, m.n / tile), sycl::range<2>(tile, tile),
          [=](sycl::group<2> all) {
            float a_tile[tile][tile], b_tile[tile][tile];
            sycl::private_memory<float, 2> sum(all);
            all.parallel_for_work_item([&](sycl::h_item<2> me) { sum(me) = 0; });
            for (unsigned start = 0; start < m.n; start += tile) {
              all.parallel_for_work_item([&](sycl::h_item<2> me) {
                const unsigned y = unsigned(me.get_local_id(0)), x = unsigned(me.get_local_id(1));
                a_tile[y][x] = m.a[unsigned(me.get_global_id(0)) * m.n + start + x];
                b_tile[y][x] = m.b[(start + y) * m.n + unsigned(me.get_global_id(1))];
              });
              all.parallel_for_work_item([&](sycl::h_item<2> me) {
                for (unsigned i = 0; i < tile; ++i)
                  sum(me) += a_tile[me.get_local_id(0)][i] * b_tile[i][me.get_local_id(1)];
              });
            }
            all.parallel_for_work_item([&](sycl::h_item<2> me) {
              m.c[me.get_global_id(0) * m.n + me.get_global_id(1)] = sum(me);
            });
          });
    });
  };
}

void matrix_sub_groups(Form &form) {
  form.call = [&form, m = matrices_of(form)] {
    form.queue.parallel_for(sycl::nd_range<2>({m.n, m.n}, {1, 64}), [=](sycl::nd_item<2> me) {
      const sycl::sub_group lanes = me.get_sub_group();
      const unsigned row = unsigned(me.get_global_id(0)), column = unsigned(me.get_global_id(1));
      const unsigned width = lanes.get_local_linear_range(), lane = lanes.get_local_linear_id();
      float sum = 0;
      for (unsigned start = 0; start < m.n; start += width) {
        const float of_a = m.a[row * m.n + start + lane];
        for (unsigned i = 0; i < width; ++i)
          sum += sycl::group_broadcast(lanes, of_a, i) * m.b[(start + i) * m.n + column];
      }
      m.c[row * m.n + column] = sum;
    });
  };
}

// ---- sums (reduction/reduction.cl)

constexpr std::size_t strided_groups = 4096, strided_items = 256; // of reduction.cpp

void sum_reduce_over_group(Form &form) {
  const unsigned n = unsigned(form.n());
  form.call = [&form, n, values = form.in<int>(0), sums = form.out<int>()] {
    form.queue.parallel_for(
        sycl::nd_range<1>(strided_groups * strided_items, strided_items), [=](sycl::nd_item<1> me) {
          int sum = 0;
          for (std::size_t i = me.get_global_id(0); i < n; i += me.get_global_range(0))
            sum += values[i];
          sum = sycl::reduce_over_group(me.get_group(), sum, sycl::plus<int>());
          if (me.get_group().leader())
            sums[me.get_group_linear_id()] = sum;
        });
  };
}

void sum_reduction(Form &form) {
  form.call = [&form, values = form.in<int>(0), sum = form.out<int>()] {
    form.queue.parallel_for(sycl::range<1>(form.n()),
                            sycl::reduction(sum, sycl::plus<int>(),
                                            sycl::property::reduction::initialize_to_identity()),
                            [=](sycl::id<1> i, auto &all) { all += values[i]; });
  };
}

// ---- atomics with work-group scope (atomics/atomics.cl)

void atomic_group_scope(Form &form) {
  constexpr std::size_t entries = 1024, large_group = 4096; // of atomics.cpp
  form.call = [&form, n = form.n(), places = form.in<unsigned short>(0),
               tables = form.out<unsigned>()] {
    form.queue.fill(tables, 0U, n / large_group * entries);
    form.queue.parallel_for(sycl::nd_range<1>(n, large_group), [=](sycl::nd_item<1> me) {
      unsigned *const mine = tables + me.get_group(0) * entries;
      sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::work_group> count(
          mine[places[me.get_global_id(0)]]);
      ++count;
    });
  };
}

// ---- chains of n dependent kernels (launch/launch.cl)

void chain_in_order(Form &form) {
  form.call = [&form, count = form.out<unsigned>()] {
    form.queue.fill(count, 0U, 1);
    for (unsigned i = 0; i < form.n(); ++i)
      form.queue.single_task([=] {
        if (*count == i)
          ++*count;
      });
  };
}

void chain_by_accessors(Form &form) {
  sycl::queue out_of_order;
  sycl::buffer<unsigned> buffer(sycl::range<1>(1));
  form.queue = out_of_order;
  form.call = [&form, buffer]() mutable {
    form.queue.submit([&](sycl::handler &group) {
      sycl::accessor count(buffer, group, sycl::write_only, sycl::no_init);
      group.fill(count, 0U);
    });
    for (unsigned i = 0; i < form.n(); ++i)
      form.queue.submit([&](sycl::handler &group) {
        sycl::accessor count(buffer, group);
        group.single_task([=] {
          if (count[0] == i)
            ++count[0];
        });
      });
    form.queue.submit([&](sycl::handler &group) {
      sycl::accessor count(buffer, group, sycl::read_only);
      group.copy(count, form.out<unsigned>());
    });
  };
}

// ---- memory

void memory_copy(Form &form) {
  form.call = [&form] { form.queue.memcpy(form.out<char>(), form.in<char>(0), form.n()); };
}
void memory_fill(Form &form) {
  form.call = [&form] { form.queue.fill(form.out<unsigned>(), 0x5ca1ab1eU, form.n() / 4); };
}

// ---- the compiler

void compile_small_program(Form &form) {
  form.call = [&form] {
    static const std::string command =
        "'" LOCKSTEP_DRIVER "' -O2 -c '" LOCKSTEP_SMALL_PROGRAM "' -o /dev/null";
    *form.out<int>() = std::system(command.c_str());
  };
}

constexpr struct {
  const char *name;
  void (*prepare)(Form &);
} forms[] = {{"matrix_range", matrix_range},
             {"matrix_tiles", matrix_tiles},
             {"matrix_hierarchical", matrix_hierarchical},
             {"matrix_sub_groups", matrix_sub_groups},
             {"sum_reduce_over_group", sum_reduce_over_group},
             {"sum_reduction", sum_reduction},
             {"atomic_group_scope", atomic_group_scope},
             {"chain_in_order", chain_in_order},
             {"chain_by_accessors", chain_by_accessors},
             {"memory_copy", memory_copy},
             {"memory_fill", memory_fill},
             {"compile_small_program", compile_small_program}};

} // namespace
} // namespace lockstep::benchmarks

lockstep::benchmarks::SyclForm *
lockstep_benchmark_form(const char *name, const lockstep::benchmarks::SyclData *data) {
  for (const auto &[known, prepare] : lockstep::benchmarks::forms)
    if (std::strcmp(known, name) == 0) {
      auto *form = new lockstep::benchmarks::Form(*data);
      prepare(*form);
      return form;
    }
  return nullptr;
}
