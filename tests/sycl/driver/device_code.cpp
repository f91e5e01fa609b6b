// Tests kernel attributes in every permitted position and their effect on launches (SYCL 2020,
// section 5.8.1). Also tests which parts of the standard library kernels can call.
#include <sycl/sycl.hpp>

#include "../check.h"

#include <array>
#include <cmath>
#include <optional>
#include <string>

// Constructed only on the host.
template <class T> struct Registry {
  Registry() : entries(std::to_string(sizeof(T))) {}
  std::string entries;
  static Registry instance;
};
template <class T> Registry<T> Registry<T>::instance;

namespace {

constexpr int sub_group = 8;

struct Functor {
  int *sizes;
  [[sycl::reqd_work_group_size(4, 8)]] void operator()(sycl::nd_item<2> item) const {
    sizes[0] = int(item.get_local_range(0) * 100 + item.get_local_range(1));
  }
};
// Any spelling works, and the following lines keep their numbers.
constexpr int line_of_spaced = __LINE__;
struct Spaced {
  int *sizes;
  // clang-format off
  [ [ sycl /* the scope */ ::
      reqd_work_group_size ( 2 , 16 ) ] ] void operator()(sycl::nd_item<2> item) const {
    sizes[0] = int(item.get_local_range(0) * 100 + item.get_local_range(1)) + 10000 * (__LINE__ - line_of_spaced);
  }
  // clang-format on
};
struct Using {
  int *sizes;
  [[using sycl: work_group_size_hint(4), reqd_work_group_size(32)]] void
  operator()(sycl::nd_item<1> item) const {
    sizes[0] = int(item.get_local_range(0));
  }
};
struct AttributeBehind {
  int *sizes;
  void operator() [[sycl::reqd_work_group_size(16)]] (sycl::nd_item<1> item) const {
    sizes[0] = int(item.get_local_range(0));
  }
};
template <int N> struct Dependent {
  int *sizes;
  [[sycl::reqd_work_group_size(N * 2), sycl::work_group_size_hint(N)]] void
  operator()(sycl::nd_item<1> item) const {
    sizes[0] = int(item.get_local_range(0));
  }
};

// Because of its static variable, clang compiles this function and everything it uses for the
// device as well.
TEST(constants_of_functions_in_kernels) {
  static const int numbers[] = {3, 5, 7};
  EXPECT_EQ(Registry<int>::instance.entries, std::string("4"));
  sycl::queue queue;
  int *seen = sycl::malloc_shared<int>(1, queue);
  *seen = 2;
  queue.single_task([=] { *seen = numbers[*seen]; }).wait();
  EXPECT_EQ(*seen, 7);
  sycl::free(seen, queue);
}

// A constexpr pointer names its function; ggml chooses functions by such pointers.
using binary = int (*)(int, int);
int sum_of(int a, int b) {
  return a + b;
}
int product_of(int a, int b) {
  return a * b;
}
template <bool IsSum> constexpr binary chosen() {
  return IsSum ? sum_of : product_of;
}
struct Functions {
  static constexpr binary other = product_of;
};
template <bool IsSum> int apply(int a, int b) {
  constexpr binary function = chosen<IsSum>();
  return function(a, b) + 1000 * Functions::other(a, b);
}

TEST(constexpr_pointers_to_functions) {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(2 * 40, queue);
  queue
      .parallel_for(40,
                    [=](sycl::id<1> i) {
                      const int a = int(i[0]);
                      out[2 * i[0]] = apply<true>(a, 7);
                      out[2 * i[0] + 1] = apply<false>(a, 7);
                    })
      .wait();
  for (int a = 0; a < 40; ++a) {
    EXPECT_EQ(out[2 * a], (a + 7) + 1000 * (a * 7));
    EXPECT_EQ(out[2 * a + 1], (a * 7) + 1000 * (a * 7));
  }
  sycl::free(out, queue);
}

TEST(required_work_group_sizes) {
  sycl::queue queue;
  int *sizes = sycl::malloc_shared<int>(1, queue);
  queue.parallel_for(sycl::nd_range<2>({8, 16}, {4, 8}), Functor{sizes}).wait();
  EXPECT_EQ(sizes[0], 408);
  queue.parallel_for(sycl::nd_range<2>({8, 16}, {2, 16}), Spaced{sizes}).wait();
  EXPECT_EQ(sizes[0], 60216);
  EXPECT_THROW(sycl::errc::nd_range, "requires",
               queue.parallel_for(sycl::nd_range<2>({8, 16}, {4, 8}), Spaced{sizes}));
  queue.parallel_for(sycl::nd_range<1>(32, 32), Using{sizes}).wait();
  EXPECT_EQ(sizes[0], 32);
  EXPECT_THROW(sycl::errc::nd_range, "requires",
               queue.parallel_for(sycl::nd_range<1>(32, 16), Using{sizes}));
  queue.parallel_for(sycl::nd_range<1>(32, 16), AttributeBehind{sizes}).wait();
  EXPECT_EQ(sizes[0], 16);
  queue.parallel_for(sycl::nd_range<1>(32, 8), Dependent<4>{sizes}).wait();
  EXPECT_EQ(sizes[0], 8);
  EXPECT_THROW(sycl::errc::nd_range, "requires",
               queue.parallel_for(sycl::nd_range<2>({8, 16}, {8, 4}), Functor{sizes}));
  EXPECT_THROW(sycl::errc::nd_range, "requires",
               queue.parallel_for(sycl::nd_range<1>(32, 4), Dependent<4>{sizes}));
  // After everything that a lambda may have there.
  const auto behind_all = [=](sycl::nd_item<1> item) noexcept
      [[sycl::reqd_work_group_size(8)]] [[sycl::work_group_size_hint(8)]] -> void {
    sizes[0] = int(item.get_local_range(0)) + 100;
  };
  queue.parallel_for(sycl::nd_range<1>(32, 8), behind_all).wait();
  EXPECT_EQ(sizes[0], 108);
  EXPECT_THROW(sycl::errc::nd_range, "requires",
               queue.parallel_for(sycl::nd_range<1>(32, 4), behind_all));
  const auto behind_condition =
      [=](sycl::nd_item<1> item) noexcept(sizeof(int) == 4)
          [[sycl::reqd_work_group_size(2)]] { sizes[0] = int(item.get_local_range(0)) + 200; };
  queue.parallel_for(sycl::nd_range<1>(32, 2), behind_condition).wait();
  EXPECT_EQ(sizes[0], 202);
  EXPECT_THROW(sycl::errc::nd_range, "requires",
               queue.parallel_for(sycl::nd_range<1>(32, 4), behind_condition));
  EXPECT_THROW(sycl::errc::kernel_not_supported, "more than the device's",
               queue.parallel_for(sycl::nd_range<1>(1 << 20, 16),
                                  [=](sycl::nd_item<1>)
                                      [[sycl::reqd_work_group_size(1 << 20)]] { *sizes = 1; }));
  sycl::free(sizes, queue);
}

TEST(required_sub_group_sizes) {
  sycl::queue queue;
  int *sizes = sycl::malloc_shared<int>(2, queue);
  queue
      .parallel_for(sycl::nd_range<1>(64, 32),
                    [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(sub_group)]] {
                      sizes[0] = int(item.get_sub_group().get_max_local_range()[0]);
                      sizes[1] = int(item.get_sub_group().get_group_linear_range());
                    })
      .wait();
  EXPECT_EQ(sizes[0], sub_group);
  EXPECT_EQ(sizes[1], 32 / sub_group);
  EXPECT_THROW(sycl::errc::kernel_not_supported, "sub-groups of 3",
               queue.parallel_for(sycl::nd_range<1>(64, 32),
                                  [=](sycl::nd_item<1>)
                                      [[sycl::reqd_sub_group_size(3)]] { *sizes = 1; }));
  sycl::free(sizes, queue);
}

// An attribute captures nothing, whatever it names. The captures of a lambda are at the same offset
// on the device and on the host.
template <unsigned Lanes, std::size_t... Sizes>
void expect_sizes_of_template(sycl::queue &queue, std::size_t *sizes) {
  constexpr unsigned lanes = Lanes;
  queue
      .parallel_for(sycl::nd_range<3>({2, 8, 32}, {Sizes...}),
                    [=](auto item)
                        [[sycl::reqd_sub_group_size(lanes), sycl::reqd_work_group_size(Sizes...)]] {
                          sizes[0] = item.get_sub_group().get_max_local_range()[0];
                          sizes[1] = item.get_local_range().size();
                        })
      .wait();
  EXPECT_EQ(sizes[0], Lanes);
  EXPECT_EQ(sizes[1], (Sizes * ...));
}

TEST(attributes_that_name_variables) {
  sycl::queue queue;
  auto *sizes = sycl::malloc_shared<std::size_t>(2, queue);
  constexpr std::size_t lanes = 4;
  const int columns = 16;
  constexpr sycl::aspect needed = sycl::aspect::fp64;
  constexpr char rows = 2;
  const std::size_t value = 1000;
  const auto hidden = [=, more = value + 1](sycl::nd_item<2> item)
                          [[sycl::reqd_sub_group_size(lanes), sycl::device_has(needed)]] {
                            sizes[0] = item.get_sub_group().get_max_local_range()[0];
                            sizes[1] = more;
                          };
  static_assert(sizeof hidden == 2 * sizeof(std::size_t));
  queue.parallel_for(sycl::nd_range<2>({4, 32}, {2, 16}), hidden).wait();
  EXPECT_EQ(sizes[0], lanes);
  EXPECT_EQ(sizes[1], 1001u);
  queue
      .parallel_for(sycl::nd_range<2>({4, 32}, {2, 16}),
                    [sizes](sycl::nd_item<2> item) [[sycl::reqd_work_group_size(rows, columns)]] {
                      sizes[0] = item.get_local_range(0);
                      sizes[1] = item.get_local_range(1);
                    })
      .wait();
  EXPECT_EQ(sizes[0], 2u);
  EXPECT_EQ(sizes[1], 16u);
  expect_sizes_of_template<8, 1, 4, 32>(queue, sizes);
  expect_sizes_of_template<16, 2, 2, 16>(queue, sizes);
  sycl::free(sizes, queue);
}

struct Sizes {
  std::size_t rows, columns;
  constexpr operator std::size_t() const { return columns; }
};

TEST(attributes_that_name_objects) {
  sycl::queue queue;
  auto *sizes = sycl::malloc_shared<std::size_t>(2, queue);
  constexpr Sizes wanted{2, 8};
  const std::size_t more = 7 + sizes[0] * 0;
  queue
      .parallel_for(sycl::nd_range<2>({4, 16}, {2, 8}),
                    [=](sycl::nd_item<2> item) [[sycl::reqd_work_group_size(wanted.rows, wanted)]] {
                      sizes[0] = item.get_local_range().size();
                      sizes[1] = more;
                    })
      .wait();
  EXPECT_EQ(sizes[0], 16u);
  EXPECT_EQ(sizes[1], 7u);
  sycl::free(sizes, queue);
}

// Attributes that come partly or completely from macros.
#define LANES(n) sycl::reqd_sub_group_size(n)
#define LANES_OF(n) LANES(n)
#define ATTRIBUTE(n) [[sycl::reqd_sub_group_size(n)]]
#define FOUR_LANES [[sycl::reqd_sub_group_size(4)]]
#define NAME reqd_sub_group_size
#define GROUP(...) sycl::reqd_work_group_size(__VA_ARGS__)
#define SUBMIT(index, ...)                                                                         \
  queue                                                                                            \
      .parallel_for(all, [=](sycl::nd_item<1> item) __VA_ARGS__ { seen[index] = lanes_of(item); }) \
      .wait()
int lanes_of(sycl::nd_item<1> item) {
  return int(item.get_sub_group().get_max_local_range()[0]);
}
constexpr int sixteen() {
  return 16;
}
template <int N> struct Lanes {
  int *seen;
  [[LANES_OF(N)]] void operator()(sycl::nd_item<1> item) const { *seen = lanes_of(item); }
};
template <class T> struct LanesBehind {
  int *seen;
  void operator() [[LANES(sizeof(T) * 4)]] (sycl::nd_item<1> item) const { *seen = lanes_of(item); }
};

TEST(attributes_out_of_macros) {
  sycl::queue queue;
  int *seen = sycl::malloc_shared<int>(16, queue);
  const sycl::nd_range<1> all(64, 64);
  SUBMIT(0, [[LANES(8)]]);
  SUBMIT(1, [[LANES_OF(sixteen())]]);
  SUBMIT(2, ATTRIBUTE(8));
  SUBMIT(3, FOUR_LANES);
  SUBMIT(4, [[sycl::NAME(8)]]);
  SUBMIT(5, [[using sycl: NAME(16)]]);
  SUBMIT(6, [[GROUP(64), LANES(8)]]);
  SUBMIT(7, [[]] [[intel::NAME(4)]]);
  SUBMIT(8, noexcept(sizeof(int) == 4) FOUR_LANES->void);
  queue.parallel_for(all, Lanes<8>{seen + 9}).wait();
  queue.parallel_for(all, LanesBehind<float>{seen + 10}).wait();
  // The attributes of a lambda expression inside the arguments of another one's attributes.
  SUBMIT(11, [[LANES([]() { return 8; }())]]);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++23-lambda-attributes"
  queue.parallel_for(all, [=] [[LANES(16)]] (sycl::nd_item<1> item) { seen[12] = lanes_of(item); })
      .wait();
#pragma clang diagnostic pop
  queue.parallel_for(all, [=](auto item) ATTRIBUTE(4) { seen[13] = lanes_of(item); }).wait();
  const int wanted[] = {8, 16, 8, 4, 8, 16, 8, 4, 4, 8, 16, 8, 16, 4};
  for (int i = 0; i < 14; ++i)
    EXPECT_EQ(seen[i], wanted[i]);
  EXPECT_THROW(sycl::errc::nd_range, "requires",
               queue.parallel_for(all, [=](sycl::nd_item<1>) [[GROUP(32)]] { seen[0] = 1; }));
  sycl::free(seen, queue);
}

TEST(captures_that_differ_on_the_device) {
  sycl::queue queue;
  int *value = sycl::malloc_shared<int>(1, queue);
  const long more = long(queue.get_device().is_cpu());
  EXPECT_THROW(sycl::errc::kernel_argument, "8 bytes on the host and 16 on the device",
               queue.single_task([=] {
                 *value = 1;
#ifdef __SYCL_DEVICE_ONLY__
                 *value += int(more);
#endif
               }));
  (void)more;
  sycl::free(value, queue);
}

TEST(aspects_that_a_device_lacks) {
  sycl::queue queue;
  int *value = sycl::malloc_shared<int>(1, queue);
  queue
      .single_task([=]()
                       [[sycl::device_has(sycl::aspect::cpu, sycl::aspect::fp64)]] { *value = 5; })
      .wait();
  EXPECT_EQ(*value, 5);
  EXPECT_THROW(sycl::errc::kernel_not_supported, "device_has",
               queue.single_task([=]() [[sycl::device_has(sycl::aspect::gpu)]] { *value = 6; }));
  EXPECT_EQ(*value, 5);
  sycl::free(value, queue);
}

// Text in strings is not code.
TEST(strings_stay) {
  EXPECT_EQ(std::string("[[sycl::device_has(1)]]").size(), 23u);
  EXPECT(std::string("[[sycl::device_has(1)]]").find("sycl::") == 2);
}

TEST(the_standard_library_in_kernels) {
  sycl::queue queue;
  constexpr int count = 8;
  double *out = sycl::malloc_shared<double>(count, queue);
  auto all = [](double *to, float x, double y, int i) {
    int exponent = 0;
    const float fraction = std::frexp(x, &exponent);
    std::optional<int> maybe;
    if (i >= 0)
      maybe = i;
    const std::array<int, 3> values{3, 1, 2};
    to[0] = std::sin(x);
    to[1] = std::pow(y, 3.0) + std::sqrt(y);
    to[2] = double(fraction) * 100 + exponent;
    to[3] = std::abs(i - 5) + std::fmod(y, 2.0);
    to[4] = std::fma(x, 2.f, 1.f) + std::ldexp(x, 3);
    to[5] = maybe.value() + values.at(std::size_t(i % 3)); // these can throw, but do not here
    to[6] = std::hypot(x, 4.f);
    to[7] = std::floor(y) + std::round(y) + std::atan2(y, 2.0);
  };
  queue.single_task([=] { all(out, 1.25f, 2.5, 2); }).wait();
  double expected[count];
  all(expected, 1.25f, 2.5, 2);
  for (int i = 0; i < count; ++i)
    EXPECT(std::abs(out[i] - expected[i]) <= 1e-6 * std::abs(expected[i]));
  sycl::free(out, queue);
}

TEST(what_throws_ends_the_kernel) {
  std::string told;
  sycl::queue queue{[&](sycl::exception_list all) {
    for (const std::exception_ptr &one : all)
      try {
        std::rethrow_exception(one);
      } catch (const sycl::exception &thrown) {
        if (thrown.code() == sycl::make_error_code(sycl::errc::kernel))
          told += thrown.what();
      }
  }};
  int *out = sycl::malloc_shared<int>(1, queue);
  *out = 0;
  queue.single_task([=] {
    std::optional<int> nothing;
    if (*out)
      nothing = 1;
    *out = nothing.value();
  });
  queue.wait_and_throw();
  EXPECT(!told.empty());
  sycl::free(out, queue);
}

} // namespace
