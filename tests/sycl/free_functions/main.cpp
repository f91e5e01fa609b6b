// Extensions of oneAPI that need the driver: free-function kernels, local memory of work-groups,
// device_if.
#include <sycl/sycl.hpp>

#include "../check.h"
#include "kernels.h"

#include <array>

namespace {

using experimental::kernel_function;

// ---- sycl_ext_oneapi_free_function_kernels

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::single_task_kernel))
void add_up(const int *values, int count, long *sum) {
  *sum = 0;
  for (int i = 0; i < count; ++i)
    *sum += values[i];
}

struct Members {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<3>))
  static void number(std::size_t *out) {
    const auto item = oneapi::this_work_item::get_nd_item<3>();
    out[item.get_global_linear_id()] = item.get_global_linear_id();
  }
};

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<1>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::work_group_size<8>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::sub_group_size<4>))
void sized(int *lanes) {
  *lanes = int(oneapi::this_work_item::get_sub_group().get_max_local_range()[0]);
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<1>))
void turn(sycl::accessor<int, 1> all, sycl::local_accessor<int, 1> part) {
  const auto item = oneapi::this_work_item::get_nd_item<1>();
  const std::size_t me = item.get_local_id(0), size = item.get_local_range(0);
  part[me] = all[item.get_global_id(0)];
  sycl::group_barrier(item.get_group());
  all[item.get_global_id(0)] = part[size - 1 - me];
}

void no_kernel(int *) {}
alignas(64) [[maybe_unused]] int no_function;

TEST(traits_know_which_functions_are_kernels) {
  static_assert(experimental::is_single_task_kernel_v<add_up>);
  static_assert(!experimental::is_nd_range_kernel_v<add_up, 1>);
  static_assert(experimental::is_nd_range_kernel_v<fill_with, 1>);
  static_assert(!experimental::is_nd_range_kernel_v<fill_with, 2>);
  static_assert(!experimental::is_single_task_kernel_v<fill_with>);
  static_assert(experimental::is_nd_range_kernel_v<scale<int>, 2>);
  static_assert(experimental::is_nd_range_kernel_v<Members::number, 3>);
  static_assert(experimental::is_nd_range_kernel_v<sized, 1>);
  static_assert(experimental::is_kernel_v<sized> && experimental::is_kernel_v<add_up>);
  static_assert(!experimental::is_kernel_v<no_kernel> && !experimental::is_kernel_v<&no_function>);
}

TEST(functions_are_launched) {
  sycl::queue queue;
  int *values = sycl::malloc_shared<int>(64, queue);
  for (int i = 0; i < 64; ++i)
    values[i] = i;
  long *sum = sycl::malloc_shared<long>(1, queue);
  experimental::single_task(queue, kernel_function<add_up>, values, short(64), sum);
  queue.wait();
  EXPECT_EQ(*sum, 64 * 63 / 2);
  experimental::nd_launch(queue, sycl::nd_range<2>({4, 16}, {2, 8}), kernel_function<scale<int>>,
                          values, 3);
  queue.wait();
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(values[i], i * (3 + i / 16));
  auto *numbers = sycl::malloc_shared<std::size_t>(24, queue);
  queue.submit([&](sycl::handler &group) {
    experimental::nd_launch(group, sycl::nd_range<3>({2, 3, 4}, {1, 3, 2}),
                            kernel_function<Members::number>, numbers);
  });
  queue.wait();
  for (std::size_t i = 0; i < 24; ++i)
    EXPECT_EQ(numbers[i], i);
  add_up(values, 2, sum); // and called as a function
  EXPECT_EQ(*sum, 3);
  sycl::free(numbers, queue);
  sycl::free(sum, queue);
  sycl::free(values, queue);
}

TEST(functions_of_other_sources_are_launched) {
  sycl::queue queue;
  float *out = sycl::malloc_shared<float>(32, queue);
  experimental::nd_launch(queue, sycl::nd_range<1>(32, 8), kernel_function<fill_with>,
                          Line{2, 0.5f}, out);
  queue.wait();
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 2 + 0.5f * float(i));
  sycl::free(out, queue);
}

TEST(functions_with_accessors) {
  std::array<int, 12> values{};
  for (int i = 0; i < 12; ++i)
    values[std::size_t(i)] = i;
  {
    sycl::buffer<int> buffer(values.data(), values.size());
    sycl::queue().submit([&](sycl::handler &group) {
      experimental::nd_launch(group, sycl::nd_range<1>(12, 4), kernel_function<turn>,
                              sycl::accessor<int, 1>(buffer, group),
                              sycl::local_accessor<int, 1>(4, group));
    });
  }
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(values[std::size_t(i)], i / 4 * 4 + 3 - i % 4);
}

TEST(properties_of_functions) {
  sycl::queue queue;
  int *lanes = sycl::malloc_shared<int>(1, queue);
  experimental::nd_launch(queue, sycl::nd_range<1>(16, 8), kernel_function<sized>, lanes);
  queue.wait();
  EXPECT_EQ(*lanes, 4);
  EXPECT_THROW(
      sycl::errc::nd_range, "requires",
      experimental::nd_launch(queue, sycl::nd_range<1>(16, 16), kernel_function<sized>, lanes));
  const experimental::launch_config with_properties(
      sycl::nd_range<1>(16, 8), experimental::properties{experimental::work_group_size<8>});
  experimental::nd_launch(queue, with_properties, kernel_function<sized>, lanes);
  queue.wait();
  sycl::free(lanes, queue);
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<1>))
void never_launched(int *) {}

TEST(bundles_of_functions) {
  sycl::queue queue;
  constexpr auto executable = sycl::bundle_state::executable;
  const sycl::kernel_id id = experimental::get_kernel_id<never_launched>();
  const auto bundle =
      experimental::get_kernel_bundle<never_launched, executable>(queue.get_context());
  EXPECT(bundle.has_kernel(id) && !bundle.has_kernel(experimental::get_kernel_id<sized>()));
  EXPECT((experimental::has_kernel_bundle<sized, executable>(queue.get_context())));
  EXPECT(experimental::is_compatible<sized>(queue.get_device()));
  EXPECT_EQ(bundle.get_kernel(id).get_info<sycl::info::kernel_device_specific::work_group_size>(
                queue.get_device()) > 0,
            true);
}

struct Nothing {};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<1>))
void many_types(char first, Nothing, double second, const int *third, Line fourth, short fifth,
                double *out) {
  const std::size_t i = oneapi::this_work_item::get_nd_item<1>().get_global_id(0);
  out[i] = first + second * third[i] + double(fourth.begin) * fifth;
}

// As kernel objects, with set_arg.
TEST(functions_with_arguments_that_were_set) {
  constexpr auto executable = sycl::bundle_state::executable;
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  const auto bundle = experimental::get_kernel_bundle<many_types, executable>(context);
  const sycl::kernel kernel = bundle.ext_oneapi_get_kernel<many_types>();
  EXPECT(bundle.ext_oneapi_has_kernel<many_types>() && !bundle.ext_oneapi_has_kernel<add_up>());
  EXPECT_EQ(kernel.get_info<sycl::info::kernel::num_args>(), 7);
  int *numbers = sycl::malloc_shared<int>(8, queue);
  double *out = sycl::malloc_shared<double>(8, queue);
  for (int i = 0; i < 8; ++i)
    numbers[i] = i * i;
  const auto check = [&](double factor) {
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(out[i], 3 + factor * i * i + 2.5 * 4);
  };
  queue.submit([&](sycl::handler &group) {
    group.set_args(char(3), Nothing(), 0.5, numbers, Line{2.5f, 1}, short(4), out);
    group.parallel_for(sycl::nd_range<1>(8, 4), kernel);
  });
  queue.wait();
  check(0.5);
  experimental::nd_launch(queue, sycl::nd_range<1>(8, 2), kernel, char(3), Nothing(), 1.5, numbers,
                          Line{2.5f, 1}, short(4), out);
  queue.wait();
  check(1.5);
  EXPECT_THROW(sycl::errc::kernel_argument, "was not set", queue.submit([&](sycl::handler &group) {
    group.set_arg(0, char(3));
    group.parallel_for(sycl::nd_range<1>(8, 4), kernel);
  }));
  EXPECT_THROW(sycl::errc::kernel_argument, "has 8 bytes, and was set with 4",
               queue.submit([&](sycl::handler &group) {
                 group.set_args(char(3), Nothing(), 0.5f, numbers, Line{2.5f, 1}, short(4), out);
                 group.parallel_for(sycl::nd_range<1>(8, 4), kernel);
               }));

  std::array<int, 12> values{};
  for (int i = 0; i < 12; ++i)
    values[std::size_t(i)] = i;
  {
    sycl::buffer<int> buffer(values.data(), values.size());
    const sycl::kernel turning =
        experimental::get_kernel_bundle<turn, executable>(context).ext_oneapi_get_kernel<turn>();
    queue.submit([&](sycl::handler &group) {
      group.set_arg(1, sycl::local_accessor<int, 1>(4, group));
      group.set_arg(0, sycl::accessor<int, 1>(buffer, group));
      group.parallel_for(sycl::nd_range<1>(12, 4), turning);
    });
  }
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(values[std::size_t(i)], i / 4 * 4 + 3 - i % 4);

  experimental::command_graph graph(context, queue.get_device());
  experimental::dynamic_parameter factor(graph, 2.0);
  experimental::node node = graph.add([&](sycl::handler &group) {
    group.set_args(char(3), Nothing(), factor, numbers, Line{2.5f, 1}, short(4), out);
    group.parallel_for(sycl::nd_range<1>(8, 4), kernel);
  });
  auto ready = graph.finalize({sycl::ext::oneapi::experimental::property::graph::updatable{}});
  queue.ext_oneapi_graph(ready).wait();
  check(2);
  factor.update(4.0);
  ready.update(node);
  queue.ext_oneapi_graph(ready).wait();
  check(4);
  sycl::free(out, queue);
  sycl::free(numbers, queue);
}

// ---- sycl_ext_oneapi_local_memory

struct Point {
  int x = 1, y = 2;
};
struct Made {
  long sum;
  Made(int a, int b) : sum(a + b) {}
};

TEST(each_call_has_local_memory_of_its_own) {
  constexpr int groups = 3, size = 8, count = 6;
  sycl::queue queue;
  static_assert(
      std::is_same_v<decltype(oneapi::group_local_memory<int[2]>(std::declval<sycl::group<1>>())),
                     sycl::multi_ptr<int[2], sycl::access::address_space::local_space>>);
  int *out = sycl::malloc_shared<int>(groups * size * count, queue);
  queue
      .parallel_for(sycl::nd_range<1>(groups * size, size),
                    [=](sycl::nd_item<1> item) {
                      const auto group = item.get_group();
                      const int me = int(item.get_local_id(0)), which = int(item.get_group(0));
                      const auto first = oneapi::group_local_memory<int>(group, 10 + which);
                      const auto second = oneapi::group_local_memory<int>(group, 20 + which);
                      int &zero = *oneapi::group_local_memory<int>(group);
                      int (&some)[4] = *oneapi::group_local_memory<int[4]>(group, 5, 6);
                      auto &turned = *oneapi::group_local_memory_for_overwrite<int[size]>(group);
                      auto &others = *oneapi::group_local_memory_for_overwrite<int[size]>(group);
                      auto &points = *oneapi::group_local_memory_for_overwrite<Point[2]>(group);
                      auto &made = *oneapi::group_local_memory<Made>(group, 7, which);
                      turned[me] = me;
                      others[me] = 100 + me;
                      sycl::group_barrier(group);
                      int *to = out + item.get_global_linear_id() * count;
                      to[0] = *first;
                      to[1] = *second + zero;
                      to[2] = some[me % 4];
                      to[3] = turned[size - 1 - me];
                      to[4] = others[size - 1 - me] + points[1].x + points[0].y;
                      to[5] = int(made.sum);
                    })
      .wait();
  constexpr int some[] = {5, 6, 0, 0};
  for (int i = 0; i < groups * size; ++i) {
    const int me = i % size, which = i / size, *of = out + i * count;
    EXPECT_EQ(of[0], 10 + which);
    EXPECT_EQ(of[1], 20 + which);
    EXPECT_EQ(of[2], some[me % 4]);
    EXPECT_EQ(of[3], size - 1 - me);
    EXPECT_EQ(of[4], 100 + size - 1 - me + 3);
    EXPECT_EQ(of[5], 7 + which);
  }
  sycl::free(out, queue);
}

// ---- sycl_ext_oneapi_work_group_static

experimental::work_group_static<int> number_of_group;
struct Holder {
  static inline experimental::work_group_static<int[8]> values;
};

// Each instance has a variable of its own, which its calls share.
template <int Start> int *values_of_instance() {
  experimental::work_group_static<int[8]> values;
  return &values[0];
}

TEST(static_variables_of_groups) {
  constexpr int groups = 5, size = 8, count = 6;
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(groups * size * count, queue);
  queue
      .parallel_for(sycl::nd_range<1>(groups * size, size),
                    [=](sycl::nd_item<1> item) {
                      experimental::work_group_static<int[size]> block;
                      static experimental::work_group_static<int> marked;
                      const int me = int(item.get_local_id(0)), which = int(item.get_group(0));
                      if (me == 3) {
                        number_of_group = 10 + which;
                        marked = 1;
                        marked += which;
                      }
                      block[me] = me;
                      Holder::values[me] = 100 + me;
                      values_of_instance<1>()[me] = 200 + me;
                      values_of_instance<2>()[me] = 300 + me;
                      sycl::group_barrier(item.get_group());
                      int *to = out + item.get_global_linear_id() * count;
                      const int other = size - 1 - me, *const of_block = block;
                      to[0] = number_of_group;
                      to[1] = *&marked;
                      to[2] = of_block[other];
                      to[3] = Holder::values[other];
                      to[4] = values_of_instance<1>()[other];
                      to[5] = values_of_instance<2>()[other];
                    })
      .wait();
  for (int i = 0; i < groups * size; ++i) {
    const int other = size - 1 - i % size, which = i / size, *of = out + i * count;
    EXPECT_EQ(of[0], 10 + which);
    EXPECT_EQ(of[1], 1 + which);
    EXPECT_EQ(of[2], other);
    EXPECT_EQ(of[3], 100 + other);
    EXPECT_EQ(of[4], 200 + other);
    EXPECT_EQ(of[5], 300 + other);
  }
  sycl::free(out, queue);
}

// A call in a function is one call, however often the function is called.
int *shared_by_calls(sycl::group<1> group) {
  return oneapi::group_local_memory_for_overwrite<int>(group).get_raw();
}

TEST(calls_in_functions) {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(4, queue);
  queue
      .parallel_for(sycl::nd_range<1>(4, 4),
                    [=](sycl::nd_item<1> item) {
                      int *const here = shared_by_calls(item.get_group());
                      if (item.get_local_id(0) == 2)
                        *here = 77;
                      sycl::group_barrier(item.get_group());
                      out[item.get_local_id(0)] = *shared_by_calls(item.get_group());
                    })
      .wait();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(out[i], 77);
  sycl::free(out, queue);
}

// ---- sycl_ext_oneapi_device_if

struct OnlyForGpus { // code for other devices is not compiled
  int *out;
  template <class T = int> void operator()() const {
    static_assert(sizeof(T) == 0);
    *out = -1;
  }
};

TEST(branches_by_aspects) {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(3, queue);
  queue
      .single_task([=] {
        experimental::if_device_has<sycl::aspect::gpu>(OnlyForGpus{out})
            .else_if_device_has<sycl::aspect::fp64, sycl::aspect::cpu>([=] { out[0] = 1; })
            .else_if_device_has<sycl::aspect::cpu>([=] { out[0] = 2; })
            .otherwise([=] { out[0] = 3; });
        experimental::if_device_has<sycl::aspect::cpu>([=] {
          out[1] = 4;
        }).otherwise(OnlyForGpus{out});
        experimental::if_device_has<sycl::aspect::cpu, sycl::aspect::gpu>(OnlyForGpus{out})
            .otherwise([=] { out[2] = 5; });
      })
      .wait();
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 4);
  EXPECT_EQ(out[2], 5);
  sycl::free(out, queue);
}

} // namespace
