// Relational functions of numbers, vec, swizzles and marray, on the host and in kernels.
#include <sycl/sycl.hpp>

#include "check.h"

#include <cmath>
#include <limits>
#include <vector>

namespace {

struct Relations {
  bool finite, infinite, nan, normal, sign, equal, not_equal, greater, greater_equal, less,
      less_equal, less_greater, ordered, unordered;
  bool operator==(const Relations &o) const {
    return finite == o.finite && infinite == o.infinite && nan == o.nan && normal == o.normal &&
           sign == o.sign && equal == o.equal && not_equal == o.not_equal && greater == o.greater &&
           greater_equal == o.greater_equal && less == o.less && less_equal == o.less_equal &&
           less_greater == o.less_greater && ordered == o.ordered && unordered == o.unordered;
  }
};

template <class T> Relations relations(T x, T y) {
  return {sycl::isfinite(x),      sycl::isinf(x),          sycl::isnan(x),
          sycl::isnormal(x),      sycl::signbit(x),        sycl::isequal(x, y),
          sycl::isnotequal(x, y), sycl::isgreater(x, y),   sycl::isgreaterequal(x, y),
          sycl::isless(x, y),     sycl::islessequal(x, y), sycl::islessgreater(x, y),
          sycl::isordered(x, y),  sycl::isunordered(x, y)};
}

// `least`: the smallest normal number of the type.
Relations by_std(double x, double y, double least) {
  const bool nan = std::isnan(x) || std::isnan(y);
  return {std::isfinite(x),
          std::isinf(x),
          std::isnan(x),
          std::isfinite(x) && std::fabs(x) >= least,
          std::signbit(x),
          x == y,
          x != y,
          x > y,
          x >= y,
          x < y,
          x <= y,
          !nan && x != y,
          !nan,
          nan};
}

template <class T> void check_numbers() {
  using limits = std::numeric_limits<T>;
  const std::vector<T> all = {T(0.0f),
                              T(-0.0f),
                              T(1.5f),
                              T(-2.0f),
                              limits::infinity(),
                              -limits::infinity(),
                              limits::quiet_NaN(),
                              limits::denorm_min(),
                              -limits::min(),
                              limits::max()};
  sycl::queue queue;
  std::vector<Relations> seen(all.size() * all.size());
  {
    sycl::buffer<T> values(all);
    sycl::buffer<Relations> results(seen);
    queue.submit([&](sycl::handler &h) {
      sycl::accessor from(values, h, sycl::read_only);
      sycl::accessor to(results, h, sycl::write_only);
      const std::size_t n = all.size();
      h.parallel_for(sycl::range(n * n),
                     [=](sycl::id<1> i) { to[i] = relations(from[i / n], from[i % n]); });
    });
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const T x = all[i / all.size()], y = all[i % all.size()];
    const Relations wanted = by_std(double(x), double(y), double(limits::min()));
    EXPECT(seen[i] == wanted);
    EXPECT(relations(x, y) == wanted);
  }
}

} // namespace

TEST(relations_of_numbers) {
  check_numbers<float>();
  check_numbers<double>();
  check_numbers<sycl::half>();
}

struct OfWholes {
  sycl::int4 less, nans, mixed;
  sycl::vec<std::int64_t, 2> equal;
  sycl::marray<bool, 3> greater;
  int any, all, none, every;
  bool any_of_array, all_of_array;
  sycl::float4 chosen;
  sycl::marray<int, 3> chosen_of_array;
  sycl::int4 bits;
  float bits_of_number;
  double chosen_number;
};

static OfWholes of_wholes(float nan) {
  OfWholes r;
  const sycl::float4 a(1, nan, 3, -4), b(2, 2, 2, -4);
  r.less = sycl::isless(a, b);
  r.nans = sycl::isnan(a);
  r.mixed = sycl::islessequal(a.swizzle<3, 2, 1, 0>(), b);
  r.equal = sycl::isequal(sycl::double2(1, 2), sycl::double2(1, 3));
  r.greater = sycl::isgreater(sycl::marray<float, 3>(1, 5, nan), sycl::marray<float, 3>(0, 6, 0));
  r.any = sycl::any(r.nans);
  r.all = sycl::all(r.nans);
  r.none = sycl::any(sycl::int4(1, 2, 3, 4)); // no sign bit is set
  r.every = sycl::all(sycl::int4(-1, -2, INT32_MIN, -4).swizzle<0, 1, 2, 3>());
  r.any_of_array = sycl::any(r.greater);
  r.all_of_array = sycl::all(r.greater);
  r.chosen = sycl::select(a, b, sycl::int4(-1, -1, 0, 1));
  r.chosen_of_array =
      sycl::select(sycl::marray<int, 3>(1, 2, 3), sycl::marray<int, 3>(7, 8, 9), r.greater);
  r.bits = sycl::bitselect(sycl::int4(0), sycl::int4(-1), sycl::int4(1, 2, 0xf0, -1));
  r.bits_of_number =
      sycl::bitselect(1.0f, -1.5f, sycl::bit_cast<float>(0x80000000u)); // only the sign
  r.chosen_number = sycl::select(1.0, 2.0, true);
  return r;
}

TEST(relations_of_wholes) {
  sycl::queue queue;
  OfWholes on_device;
  {
    sycl::buffer<OfWholes> result(&on_device, 1);
    queue.submit([&](sycl::handler &h) {
      sycl::accessor to(result, h, sycl::write_only);
      const float nan = std::numeric_limits<float>::quiet_NaN();
      h.single_task([=] { to[0] = of_wholes(nan); });
    });
  }
  for (const OfWholes &r : {on_device, of_wholes(std::numeric_limits<float>::quiet_NaN())}) {
    const int less[] = {-1, 0, 0, 0}, nans[] = {0, -1, 0, 0}, mixed[] = {-1, 0, 0, 0},
              bits[] = {1, 2, 0xf0, -1};
    const bool greater[] = {true, false, false};
    const int chosen_of_array[] = {7, 2, 3};
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(r.less[i], less[i]);
      EXPECT_EQ(r.nans[i], nans[i]);
      EXPECT_EQ(r.mixed[i], mixed[i]);
      EXPECT_EQ(r.bits[i], bits[i]);
    }
    EXPECT_EQ(r.equal[0], -1);
    EXPECT_EQ(r.equal[1], 0);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(r.greater[i], greater[i]);
      EXPECT_EQ(r.chosen_of_array[i], chosen_of_array[i]);
    }
    EXPECT_EQ(r.any, 1);
    EXPECT_EQ(r.all, 0);
    EXPECT_EQ(r.none, 0);
    EXPECT_EQ(r.every, 1);
    EXPECT(r.any_of_array && !r.all_of_array);
    EXPECT_EQ(r.chosen[0], 2.0f);
    EXPECT_EQ(r.chosen[1], 2.0f);
    EXPECT_EQ(r.chosen[2], 3.0f);
    EXPECT_EQ(r.chosen[3], -4.0f);
    EXPECT_EQ(r.bits_of_number, -1.0f);
    EXPECT_EQ(r.chosen_number, 2.0);
  }
}
