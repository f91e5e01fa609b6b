// Header-only parts of the standard library work in kernels: the same function runs on the host and
// on the device.
#include <sycl/sycl.hpp>

#include "check.h"

#include <sycl/ext/oneapi/bfloat16.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

static_assert(sycl::has_known_identity_v<sycl::plus<sycl::half>, sycl::half>);
static_assert(sycl::has_known_identity_v<sycl::maximum<>, sycl::half> == false ||
              sycl::known_identity_v<sycl::maximum<>, sycl::half> ==
                  -std::numeric_limits<sycl::half>::infinity());
static_assert(!sycl::has_known_identity_v<sycl::bit_and<sycl::half>, sycl::half>);
static_assert(std::is_convertible_v<sycl::half, sycl::ext::oneapi::bfloat16>);
static_assert(std::is_convertible_v<sycl::ext::oneapi::bfloat16, sycl::half>);

namespace {

struct Results {
  std::array<int, 24> sorted, sums;
  std::array<int, 4> found;
  std::tuple<int, double> least;
  std::optional<int> first_even, first_negative;
  std::complex<float> product, quotient;
  std::pair<int, int> extent;
  int dot, of_span, of_variant, permutations, gcd;
  double accumulated;
};

template <class Predicate> std::optional<int> first_if(std::span<const int> in, Predicate is) {
  const auto at = std::find_if(in.begin(), in.end(), is);
  return at == in.end() ? std::nullopt : std::optional(*at);
}

Results work(int seed) {
  Results r;
  std::array<int, 24> values;
  for (int i = 0; i < 24; ++i)
    values[i] = (i * 37 + seed * 11) % 101;
  r.sorted = values;
  std::sort(r.sorted.begin(), r.sorted.end(), [](int a, int b) { return a > b; });
  std::inclusive_scan(values.begin(), values.end(), r.sums.begin());
  const std::span<const int> all(values), part = all.subspan(3, 10);
  r.of_span = std::accumulate(part.begin(), part.end(), 0) + part.front() * 1000 + part.back();
  r.dot = std::inner_product(values.begin(), values.end(), r.sums.begin(), 0);
  r.accumulated = std::transform_reduce(values.begin(), values.end(), 0.5, std::plus<>(),
                                        [](int v) { return v * 0.25; });
  r.first_even = first_if(all, [](int v) { return v % 2 == 0; });
  r.first_negative = first_if(all, [](int v) { return v < 0; });
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  r.extent = {*least, *most};
  r.least = std::make_tuple(int(least - values.begin()), *least * 1.5);
  const std::complex<float> a(float(seed), 2), b(3, -1);
  r.product = a * b;
  r.quotient = a / b;
  std::variant<int, float> either = seed % 2 ? std::variant<int, float>(seed) : 2.5f;
  r.of_variant = std::holds_alternative<int>(either) ? *std::get_if<int>(&either) : -1;
  std::array<int, 4> order = {0, 1, 2, 3};
  r.permutations = 0;
  do
    r.permutations += order[0] == seed % 4;
  while (std::next_permutation(order.begin(), order.end()));
  r.gcd = std::gcd(values[1] + 1, 36) * 100 + std::lcm(4, seed + 1);
  r.found = {int(std::lower_bound(r.sorted.rbegin(), r.sorted.rend(), 50) - r.sorted.rbegin()),
             int(std::count_if(values.begin(), values.end(), [](int v) { return v > 40; })),
             std::clamp(seed, 2, 5), int(std::is_sorted(r.sorted.rbegin(), r.sorted.rend()))};
  return r;
}

} // namespace

TEST(algorithms_and_containers) {
  constexpr int count = 20;
  sycl::queue queue;
  auto *results = sycl::malloc_shared<Results>(count, queue);
  queue.parallel_for(sycl::range(count), [=](sycl::id<1> i) { results[i] = work(int(i)); }).wait();
  for (int i = 0; i < count; ++i) {
    const Results &got = results[i], wanted = work(i);
    EXPECT(got.sorted == wanted.sorted && got.sums == wanted.sums && got.found == wanted.found);
    EXPECT(got.least == wanted.least && got.extent == wanted.extent);
    EXPECT(got.first_even == wanted.first_even && got.first_negative == wanted.first_negative);
    EXPECT(std::abs(got.product - wanted.product) < 1e-5f &&
           std::abs(got.quotient - wanted.quotient) < 1e-5f);
    EXPECT_EQ(got.dot, wanted.dot);
    EXPECT_EQ(got.of_span, wanted.of_span);
    EXPECT_EQ(got.of_variant, wanted.of_variant);
    EXPECT_EQ(got.permutations, 6);
    EXPECT_EQ(got.gcd, wanted.gcd);
    EXPECT_EQ(got.accumulated, wanted.accumulated);
    EXPECT_EQ(got.found[3], 1);
  }
  sycl::free(results, queue);
}

// Sums with few bits are exact; a rounded value is compared with the nearest one, found by search.
TEST(bfloat16) {
  using sycl::ext::oneapi::bfloat16;
  constexpr int count = 2000;
  sycl::queue queue;
  auto *in = sycl::malloc_shared<float>(count, queue);
  auto *out = sycl::malloc_shared<bfloat16>(3 * count, queue);
  for (int i = 0; i < count; ++i)
    in[i] = std::ldexp(1.0f + float(i * 7919 % 65537) / 65536.0f, i % 60 - 30) * (i % 2 ? -1 : 1);
  in[0] = std::numeric_limits<float>::quiet_NaN();
  in[1] = std::numeric_limits<float>::infinity();
  in[2] = 1.0f + 1.0f / 256; // a tie: rounds to even
  in[3] = 1.0f + 3.0f / 256;
  queue
      .parallel_for(sycl::range(count),
                    [=](sycl::id<1> i) {
                      const bfloat16 x = in[i];
                      out[i] = x;
                      out[count + i] = x + x;
                      out[2 * count + i] = -x * 0.5f;
                    })
      .wait();
  EXPECT(std::isnan(float(out[0])));
  EXPECT_EQ(float(out[2]), 1.0f);
  EXPECT_EQ(float(out[3]), 1.0f + 4.0f / 256);
  for (int i = 1; i < count; ++i) {
    const float got = out[i];
    EXPECT_EQ(float(out[count + i]), 2 * got);
    EXPECT_EQ(float(out[2 * count + i]), -got / 2);
    if (i == 1)
      continue;
    const float step = std::ldexp(1.0f, std::ilogb(in[i]) - 7); // between adjacent numbers
    EXPECT(std::fabs(got - in[i]) <= step / 2);
    EXPECT_EQ(std::fmod(got, step), 0.0f);
  }
  EXPECT(bfloat16(2.0f) < bfloat16(3.0f) && bfloat16(2.0f) == 2 && !(bfloat16(0.0f)));
  using sycl::half;
  auto *halves = sycl::malloc_shared<half>(2, queue);
  halves[0] = 1.0f + 3.0f / 256;
  queue
      .single_task([=] {
        const bfloat16 rounded = halves[0];
        out[0] = halves[0];
        halves[1] = rounded * 4;
        out[1] = rounded - halves[0];
        out[2] = half(-2.5f) * rounded;
      })
      .wait();
  EXPECT_EQ(float(halves[0]), 1.0f + 3.0f / 256); // bfloat16 rounds this
  EXPECT_EQ(float(halves[1]), 4.0f + 4.0f / 64);
  EXPECT_EQ(float(out[0]), 1.0f + 4.0f / 256);
  EXPECT_EQ(float(out[1]), 1.0f / 256);
  EXPECT_EQ(float(out[2]), -2.53125f); // from -2.5390625, a tie, to even
  EXPECT_EQ(float(half(bfloat16(1e6f))), std::numeric_limits<float>::infinity());
  EXPECT(half(1.5f) == bfloat16(1.5f) && bfloat16(1.0f) < half(1.5f) && out[0] != halves[0]);
  sycl::free(halves, queue);
  sycl::free(in, queue);
  sycl::free(out, queue);
}
