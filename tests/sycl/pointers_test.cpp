// multi_ptr of all address spaces, async copies of a work-group, loads and stores through pointers,
// functions with a second result through a pointer.
#include <sycl/sycl.hpp>

#include "check.h"

#include <cmath>
#include <vector>

using sycl::access::address_space;
using sycl::access::decorated;

namespace {

template <class T> struct Shared { // memory for kernels and the test
  explicit Shared(std::size_t n) : data(sycl::malloc_shared<T>(n, queue())) {
    for (std::size_t i = 0; i < n; ++i)
      data[i] = T();
  }
  ~Shared() { sycl::free(data, queue()); }
  Shared(const Shared &) = delete;
  T &operator[](std::size_t i) const { return data[i]; }
  static sycl::queue &queue() {
    static sycl::queue one;
    return one;
  }
  T *data;
};

sycl::queue &queue() {
  return Shared<int>::queue();
}

} // namespace

// ---- types

static_assert(
    std::is_same_v<sycl::remove_decoration_t<sycl::decorated_global_ptr<int>::pointer>, int *>);
static_assert(
    std::is_same_v<sycl::remove_decoration_t<sycl::decorated_local_ptr<const int>::reference>,
                   const int &>);
static_assert(std::is_same_v<sycl::raw_private_ptr<float>::pointer, float *>);
static_assert(sycl::decorated_global_ptr<int>::is_decorated &&
              !sycl::raw_global_ptr<int>::is_decorated);
static_assert(std::is_convertible_v<sycl::raw_global_ptr<int>, sycl::raw_global_ptr<const int>>);
static_assert(!std::is_convertible_v<sycl::raw_global_ptr<const int>, sycl::raw_global_ptr<int>>);
static_assert(std::is_convertible_v<sycl::raw_global_ptr<int>, sycl::raw_global_ptr<void>>);
static_assert(
    std::is_convertible_v<sycl::raw_global_ptr<const int>, sycl::raw_global_ptr<const void>>);
static_assert(std::is_convertible_v<sycl::raw_global_ptr<int>, sycl::decorated_global_ptr<int>>);
static_assert(!std::is_convertible_v<sycl::raw_global_ptr<int>, sycl::raw_local_ptr<int>>);
// The kinds of SYCL 2020 convert to the kind of SYCL 1.2.1 as among each other (section 4.7.7.1).
static_assert(std::is_convertible_v<sycl::decorated_local_ptr<char>, sycl::local_ptr<void>>);
static_assert(std::is_convertible_v<sycl::raw_local_ptr<char>, sycl::local_ptr<const char>>);
static_assert(std::is_convertible_v<sycl::raw_global_ptr<char>, sycl::global_ptr<char>>);
static_assert(!std::is_convertible_v<sycl::raw_local_ptr<const char>, sycl::local_ptr<void>>);
static_assert(!std::is_convertible_v<sycl::raw_global_ptr<int>, sycl::local_ptr<int>>);
static_assert(!std::is_convertible_v<sycl::raw_generic_ptr<int>, sycl::raw_local_ptr<int>>);
static_assert(std::is_constructible_v<sycl::raw_local_ptr<int>, sycl::raw_generic_ptr<int>>);
static_assert(std::is_assignable_v<sycl::raw_generic_ptr<int> &, sycl::raw_local_ptr<int>>);
static_assert(std::is_convertible_v<int *, sycl::global_ptr<int>>);
static_assert(std::is_convertible_v<sycl::global_ptr<int>, int *>);

TEST(multi_ptr_on_the_host) {
  int values[4] = {1, 2, 3, 4};
  auto p = sycl::address_space_cast<address_space::generic_space, decorated::no>(values);
  EXPECT_EQ(*p, 1);
  EXPECT_EQ(p[3], 4);
  EXPECT_EQ(*++p, 2);
  EXPECT_EQ(*p++, 2);
  EXPECT_EQ(*(p + 1), 4);
  EXPECT_EQ(p - sycl::raw_generic_ptr<int>(values), 2);
  p -= 2;
  EXPECT(p == sycl::raw_generic_ptr<int>(values) && p != nullptr && p <= p && !(p < p));
  sycl::raw_generic_ptr<const void> nothing(p);
  EXPECT(nothing.get() == values);
  EXPECT(static_cast<sycl::raw_generic_ptr<const int>>(nothing)[2] == 3);
  p = nullptr;
  EXPECT(nullptr == p && !p.get());
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
// SYCL 1.2.1: comparisons with pointers, also with void pointers; constant memory without `const`.
TEST(legacy_multi_ptr) {
  int numbers[2] = {3, 4};
  int *const first = numbers;
  void *const untyped = numbers;
  const sycl::global_ptr<int> typed(first);
  const sycl::global_ptr<void> of_void(untyped);
  EXPECT(typed == first && first == typed && of_void == untyped && untyped == of_void);
  EXPECT(!(typed != first) && first + 1 != typed && untyped == typed.get());
  {
    sycl::buffer<int> buffer(numbers, 2);
    queue().submit([&](sycl::handler &group) {
      sycl::accessor<int, 1, sycl::access_mode::read, sycl::target::constant_buffer> in(buffer,
                                                                                        group);
      sycl::accessor out(buffer, group, sycl::read_write);
      group.single_task([=] {
        const sycl::constant_ptr<int> constant(in);
        const sycl::constant_ptr<void> of_nothing(in);
        out[0] = constant.get()[1] * 10 + (of_nothing == constant.get());
      });
    });
  }
  EXPECT_EQ(numbers[0], 41);
}
#pragma clang diagnostic pop

TEST(legacy_multi_ptr_of_a_decorated_one) {
  Shared<int> out(4);
  queue()
      .submit([&](sycl::handler &group) {
        const sycl::local_accessor<int> tile(4, group);
        int *to = out.data;
        group.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> item) {
          const int i = int(item.get_local_id(0));
          tile[3 - i] = i + 10;
          sycl::group_barrier(item.get_group());
          const sycl::local_ptr<void> any = tile.get_multi_ptr<decorated::yes>();
          const sycl::decorated_local_ptr<void> same = tile.get_multi_ptr<decorated::yes>();
          const auto *read = static_cast<const int *>(static_cast<void *>(any));
          to[i] = same.get_raw() == any.get_raw() ? read[i] : -1;
        });
      })
      .wait();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(out[i], 13 - i);
}

TEST(multi_ptr_in_kernels) {
  constexpr std::size_t size = 64;
  std::vector<int> in(size), out(size * 2);
  for (std::size_t i = 0; i < size; ++i)
    in[i] = int(i * i);
  {
    sycl::buffer<int> source(in), result(out);
    queue().submit([&](sycl::handler &h) {
      sycl::accessor from(source, h, sycl::read_only);
      sycl::accessor to(result, h, sycl::write_only);
      sycl::local_accessor<int> tile(size, h);
      h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> me) {
        const std::size_t i = me.get_local_id(0);
        sycl::multi_ptr global(from); // of const int
        static_assert(std::is_same_v<decltype(global), sycl::raw_global_ptr<const int>>);
        sycl::decorated_local_ptr<int> local = tile.get_multi_ptr<decorated::yes>();
        local[i] = global[i] + 1;
        sycl::group_barrier(me.get_group());
        int own[2] = {local[size - 1 - i], 5};
        auto mine = sycl::address_space_cast<address_space::private_space, decorated::yes>(&own[0]);
        sycl::raw_generic_ptr<int> any;
        any = mine;
        if (i % 2) // either: the compiler cannot know the address space
          any = sycl::raw_local_ptr<int>(local);
        auto written = to.get_multi_ptr<decorated::no>() + i;
        *written = *any + *(mine + 1);
        sycl::global_ptr<int> legacy = to.get_pointer();
        legacy[i + size] =
            *static_cast<sycl::raw_private_ptr<int>>(sycl::raw_generic_ptr<int>(own));
      });
    });
  }
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_EQ(out[i], (i % 2 ? in[0] : in[size - 1 - i]) + 1 + 5);
    EXPECT_EQ(out[i + size], in[size - 1 - i] + 1);
  }
}

TEST(vec_and_sub_group_by_pointers) {
  constexpr std::size_t size = 128;
  const Shared<float> in(4 * size), out(4 * size), parts(4 * size);
  for (std::size_t i = 0; i < 4 * size; ++i)
    in[i] = float(i);
  const float *from = in.data;
  float *to = out.data, *of_sub_groups = parts.data;
  queue()
      .parallel_for(
          sycl::nd_range<1>(size, 32),
          [=](sycl::nd_item<1> me) {
            const std::size_t i = me.get_global_id(0);
            sycl::vec<float, 4> four;
            four.load(i,
                      sycl::address_space_cast<address_space::global_space, decorated::yes>(from));
            four *= 2.0f;
            four.store(size - 1 - i,
                       sycl::address_space_cast<address_space::global_space, decorated::no>(to));
            const sycl::sub_group lanes = me.get_sub_group();
            const std::size_t first = i - lanes.get_local_linear_id();
            const auto at =
                sycl::address_space_cast<address_space::global_space, decorated::yes>(from + first);
            const auto two = lanes.load<2>(at);
            const auto result =
                sycl::address_space_cast<address_space::global_space, decorated::yes>(
                    of_sub_groups);
            lanes.store(result + std::ptrdiff_t(first), lanes.load(at) + 1);
            lanes.store(result + std::ptrdiff_t(size + 2 * first), two);
          })
      .wait();
  for (std::size_t i = 0; i < 4 * size; ++i)
    EXPECT_EQ(out[i], 2 * in[4 * (size - 1 - i / 4) + i % 4]);
  for (std::size_t i = 0; i < size; ++i)
    EXPECT_EQ(parts[i], in[i] + 1);
  const std::size_t width = [] { // of the sub-groups: distance of the second half
    const Shared<unsigned> one(1);
    unsigned *seen = one.data;
    queue()
        .parallel_for(sycl::nd_range<1>(size, 32),
                      [=](sycl::nd_item<1> me) {
                        if (me.get_global_id(0) == 0)
                          *seen = me.get_sub_group().get_local_linear_range();
                      })
        .wait();
    return one[0];
  }();
  for (std::size_t i = 0; i < 2 * size; ++i) // a block of two sub-groups' width for each sub-group
    EXPECT_EQ(parts[size + i], float(i / (2 * width) * width + i % (2 * width)));
}

struct Point {
  double x;
  int n;
};

TEST(copies_of_a_work_group) {
  constexpr std::size_t groups = 3, size = 20;
  const Shared<Point> in(groups * size), out(groups * size);
  const Shared<int> strided(groups * size);
  for (std::size_t i = 0; i < groups * size; ++i)
    in[i] = {double(i) / 2, int(i)};
  Point *from = in.data, *to = out.data;
  int *every_second = strided.data;
  queue().submit([&](sycl::handler &h) {
    sycl::local_accessor<Point> tile(size, h);
    sycl::local_accessor<int> numbers(size, h);
    h.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> me) {
      const std::size_t first = me.get_group(0) * size, i = me.get_local_id(0);
      using global = sycl::decorated_global_ptr<Point>;
      const auto group = me.get_group();
      sycl::device_event loaded = group.async_work_group_copy(
          tile.get_multi_ptr<decorated::yes>(),
          sycl::address_space_cast<address_space::global_space, decorated::yes>(from + first),
          size);
      group.wait_for(loaded);
      numbers[i] = tile[size - 1 - i].n;
      if (i % 2 == 0)
        tile[i].x += 100;
      sycl::group_barrier(group);
      auto stored = me.async_work_group_copy(
          global(sycl::address_space_cast<address_space::global_space, decorated::yes>(to + first)),
          tile.get_multi_ptr<decorated::yes>(), size);
      auto half = me.async_work_group_copy(sycl::global_ptr<int>(every_second + first),
                                           numbers.get_pointer(), size / 2, 2);
      me.wait_for(stored, half);
    });
  });
  queue().wait();
  for (std::size_t i = 0; i < groups * size; ++i) {
    EXPECT_EQ(out[i].x, in[i].x + (i % size % 2 ? 0 : 100));
    EXPECT_EQ(out[i].n, int(i));
    const std::size_t first = i / size * size, j = i % size;
    EXPECT_EQ(strided[i], j % 2 ? 0 : int(first + size - 1 - j / 2));
  }
}

// A copy in group code, between the code of work-items.
TEST(copies_in_hierarchical_kernels) {
  constexpr std::size_t groups = 4, size = 16;
  const Shared<int> in(groups * size), out(groups * size);
  for (std::size_t i = 0; i < groups * size; ++i)
    in[i] = int(3 * i + 1);
  int *from = in.data, *to = out.data;
  queue().submit([&](sycl::handler &h) {
    sycl::local_accessor<int> tile(size, h);
    h.parallel_for_work_group(sycl::range<1>(groups), sycl::range<1>(size), [=](sycl::group<1> g) {
      g.async_work_group_copy(tile.get_pointer(), sycl::global_ptr<int>(from + g[0] * size), size)
          .wait();
      g.parallel_for_work_item([&](sycl::h_item<1> me) { tile[me.get_local_id(0)] *= 2; });
      g.wait_for(g.async_work_group_copy(sycl::global_ptr<int>(to + g[0] * size),
                                         tile.get_pointer(), size));
    });
  });
  queue().wait();
  for (std::size_t i = 0; i < groups * size; ++i)
    EXPECT_EQ(out[i], 2 * in[i]);
}

// ---- two results

namespace {

template <class T> struct TwoResults {
  T fraction, whole, mantissa, rest, sine, cosine, gamma, remainder;
  int exponent, sign, quotient;
};

template <class T> TwoResults<T> two_results(T x, T y) {
  TwoResults<T> r;
  r.fraction = sycl::fract(x, &r.whole);
  T whole = 0;
  r.rest =
      sycl::modf(x, sycl::address_space_cast<address_space::private_space, decorated::no>(&whole));
  r.mantissa = sycl::frexp(x, &r.exponent);
  r.sine = sycl::sincos(
      x, sycl::address_space_cast<address_space::generic_space, decorated::yes>(&r.cosine));
  r.gamma = sycl::lgamma_r(x, &r.sign);
  r.remainder = sycl::remquo(x, y, &r.quotient);
  r.whole += whole; // the sum of both results
  return r;
}

template <class T> void check_two_results(double tolerance) {
  const float arguments[][2] = {{0.75f, 0.5f},   {-2.25f, 1.0f},   {7.125f, -2.0f},
                                {-0.5f, 3.0f},   {100.5f, 7.0f},   {1.0f, 1.0f},
                                {1000.0f, 3.0f}, {-124.25f, 1.0f}, {1.0f, 0.0078125f}};
  constexpr std::size_t count = std::size(arguments);
  const Shared<T> x(count), y(count);
  const Shared<TwoResults<T>> results(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = T(arguments[i][0]), y[i] = T(arguments[i][1]);
  const T *of_x = x.data, *of_y = y.data;
  auto *to = results.data;
  queue()
      .parallel_for(sycl::range(count),
                    [=](sycl::id<1> i) { to[i] = two_results(of_x[i], of_y[i]); })
      .wait();
  const auto near = [&](T got, double wanted) {
    return std::fabs(double(got) - wanted) <= tolerance * std::fmax(1.0, std::fabs(wanted));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const TwoResults<T> on_host = two_results(x[i], y[i]);
    for (const TwoResults<T> &r : {results[i], on_host}) {
      const double a = arguments[i][0], b = arguments[i][1];
      int exponent = 0;
      EXPECT(near(r.fraction, a - std::floor(a)));
      EXPECT(near(r.whole, std::floor(a) + std::trunc(a)));
      EXPECT(near(r.rest, a - std::trunc(a)));
      EXPECT(near(r.mantissa, std::frexp(a, &exponent)));
      EXPECT_EQ(r.exponent, exponent);
      EXPECT(near(r.sine, std::sin(a)) && near(r.cosine, std::cos(a)));
      EXPECT(near(r.gamma, std::lgamma(a)));
      EXPECT_EQ(r.sign, std::tgamma(a) < 0 ? -1 : 1);
      EXPECT(near(r.remainder, std::remainder(a, b)));
      const int quotient = int(std::fabs(std::nearbyint(a / b))) & 127; // its lower seven bits
      EXPECT_EQ(r.quotient, a / b < 0 ? -quotient : quotient);
    }
  }
}

} // namespace

TEST(second_results) {
  check_two_results<float>(1e-5);
  check_two_results<double>(1e-13);
  check_two_results<sycl::half>(2e-3);
}

TEST(second_results_of_vectors) {
  const Shared<sycl::float4> vecs(3);
  const Shared<sycl::int4> numbers(2);
  const Shared<sycl::marray<double, 3>> arrays(2);
  vecs[0] = {0.75f, -1.5f, 8.0f, 100.0f};
  arrays[0] = {1.25, -2.5, 3.75};
  auto *v = vecs.data;
  auto *n = numbers.data;
  auto *m = arrays.data;
  queue()
      .single_task([=] {
        v[1] = sycl::frexp(v[0], &n[0]);
        v[2] = sycl::remquo(
            v[0], sycl::float4(3.0f),
            sycl::address_space_cast<address_space::global_space, decorated::yes>(&n[1]));
        m[0] = sycl::modf(m[0], &m[1]);
      })
      .wait();
  for (int i = 0; i < 4; ++i) {
    int exponent = 0, quotient = 0;
    EXPECT_EQ(vecs[1][i], std::frexp(vecs[0][i], &exponent));
    EXPECT_EQ(numbers[0][i], exponent);
    EXPECT_EQ(vecs[2][i], std::remquo(vecs[0][i], 3.0f, &quotient));
    EXPECT_EQ(numbers[1][i] & 7, quotient & 7);
  }
  const double wholes[] = {1, -2, 3}, rests[] = {0.25, -0.5, 0.75};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(arrays[1][i], wholes[i]);
    EXPECT_EQ(arrays[0][i], rests[i]);
  }
}
