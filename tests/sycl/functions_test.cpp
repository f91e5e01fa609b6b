// Integer, common and geometric functions on the host and in a kernel, compared with 128-bit
// arithmetic and with results computed by hand.
#include <sycl/sycl.hpp>

#include "check.h"
#include "expect_numbers.hpp"

#include <algorithm>
#include <bitset>
#include <limits>

namespace {

using sycl::half;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

template <class T> Wide saturated(Wide exact) {
  const Wide least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  return exact < least ? least : exact > most ? most : exact;
}
// The bits of `value` as a number.
template <class T> std::bitset<64> bits(T value) {
  return std::bitset<64>(static_cast<std::make_unsigned_t<T>>(value));
}
template <class T> T rotated(T value, unsigned by) {
  constexpr unsigned size = sizeof(T) * 8;
  const std::bitset<64> from = bits(value);
  std::make_unsigned_t<T> to = 0;
  for (unsigned i = 0; i < size; ++i)
    if (from[i])
      to |= std::make_unsigned_t<T>(std::make_unsigned_t<T>(1) << ((i + by) % size));
  return T(to);
}
template <class T> int zeros(T value, bool leading) {
  constexpr int size = sizeof(T) * 8;
  int count = 0;
  while (count < size && !bits(value)[leading ? size - 1 - count : count])
    ++count;
  return count;
}

constexpr int integer_results = 16;
template <class T> void compute_integers(T x, T y, T z, T *to) {
  *to++ = sycl::abs(x), *to++ = sycl::abs_diff(x, y), *to++ = sycl::add_sat(x, y);
  *to++ = sycl::sub_sat(x, y), *to++ = sycl::hadd(x, y), *to++ = sycl::rhadd(x, y);
  *to++ = sycl::max(x, y), *to++ = sycl::min(x, y), *to++ = sycl::clz(x), *to++ = sycl::ctz(x);
  *to++ = sycl::popcount(x), *to++ = sycl::mul_hi(x, y), *to++ = sycl::mad_hi(x, y, z);
  *to++ = sycl::mad_sat(x, y, z), *to++ = sycl::rotate(x, T(sizeof(T) * 8 - 3));
  *to++ = sycl::clamp(x, sycl::min(y, z), sycl::max(y, z));
}

template <class T> void expect_integers(T a, T b, T c, const T *got) {
  const Wide x = a, y = b, z = c, least = std::min(y, z), most = std::max(y, z);
  constexpr int size = sizeof(T) * 8;
  // A product of unsigned numbers can need all 128 bits.
  const auto product = std::conditional_t<std::is_signed_v<T>, Wide, UnsignedWide>(x) * y;
  const bool above = std::is_unsigned_v<T> && product >> size != 0;
  const Wide wanted[integer_results] = {x < 0 ? -x : x,
                                        x < y ? y - x : x - y,
                                        saturated<T>(x + y),
                                        saturated<T>(x - y),
                                        (x + y) >> 1,
                                        (x + y + 1) >> 1,
                                        x < y ? y : x,
                                        x < y ? x : y,
                                        zeros(a, true),
                                        zeros(a, false),
                                        Wide(bits(a).count()),
                                        Wide(product >> size),
                                        Wide(product >> size) + z,
                                        above ? Wide(std::numeric_limits<T>::max())
                                              : saturated<T>(Wide(product) + z),
                                        rotated(a, size - 3),
                                        x < least  ? least
                                        : x > most ? most
                                                   : x};
  for (int i = 0; i < integer_results; ++i)
    if (got[i] != T(wanted[i]))
      check::failed(__FILE__, __LINE__,
                    "function " + std::to_string(i) + " of " + std::to_string(a) + ", " +
                        std::to_string(b) + ", " + std::to_string(c) + " is " +
                        std::to_string(got[i]) + ", not " + std::to_string(T(wanted[i])));
}

template <class T> void test_integers() {
  using limits = std::numeric_limits<T>;
  const T values[] = {
      T(0), T(1), T(2), T(7), T(-1), limits::max(), limits::min(), T(limits::max() / 3), T(-77)};
  constexpr int count = sizeof(values) / sizeof(T), all = count * count * count;
  sycl::queue queue;
  T *in = sycl::malloc_shared<T>(count, queue);
  T *out = sycl::malloc_shared<T>(all * integer_results, queue);
  for (int i = 0; i < count; ++i)
    in[i] = values[i];
  const auto compute = [=](int i) {
    compute_integers<T>(in[i % count], in[i / count % count], in[i / count / count],
                        out + i * integer_results);
  };
  for (int device = 0; device < 2; ++device) {
    if (device)
      queue.parallel_for(all, [=](sycl::id<1> i) { compute(int(i[0])); }).wait();
    else
      for (int i = 0; i < all; ++i)
        compute(i);
    for (int i = 0; i < all; ++i) {
      expect_integers(values[i % count], values[i / count % count], values[i / count / count],
                      out + i * integer_results);
      for (int k = 0; k < integer_results; ++k)
        out[i * integer_results + k] = T(99);
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

TEST(integers_of_8_bits) {
  test_integers<signed char>();
  test_integers<unsigned char>();
}
TEST(integers_of_16_bits) {
  test_integers<short>();
  test_integers<unsigned short>();
}
TEST(integers_of_32_bits) {
  test_integers<int>();
  test_integers<unsigned>();
}
TEST(integers_of_64_bits) {
  test_integers<long>();
  test_integers<unsigned long long>();
}

TEST(integers_by_elements) {
  expect_numbers<long>(
      [](long *to) {
        const sycl::int3 v(-5, 6, 0x7fffffff);
        const sycl::marray<std::uint8_t, 2> m(200, 3);
        *to++ = sycl::abs(v)[0], *to++ = sycl::add_sat(v, v)[2], *to++ = sycl::max(v, 0)[0];
        *to++ = sycl::clamp(v, -1, 1)[0], *to++ = sycl::add_sat(m, m)[0];
        *to++ = sycl::popcount(v.swizzle<1, 0>())[0], *to++ = sycl::mul24(v, v)[0];
        *to++ = sycl::mad24(3, -4, 5), *to++ = sycl::upsample(std::int8_t(-2), std::uint8_t(255));
        *to++ = sycl::upsample(-1, 7u), *to++ = sycl::upsample(m, m)[1];
        *to++ = sycl::upsample(sycl::char2(-1, 1), sycl::uchar2(0, 4))[0];
      },
      {5, 0x7fffffff, 0, -1, 255, 2, 25, -7, -257, -4294967289, 0x303, -256});
}

template <class T> void test_common() {
  expect_numbers<double>(
      [](double *to) {
        const T x = T(2.5f), y = T(-0.5f), z = T(4.0f);
        *to++ = sycl::clamp(x, y, T(1.0f)), *to++ = sycl::max(x, y), *to++ = sycl::min(x, y);
        *to++ = sycl::mix(x, z, T(0.5f)), *to++ = sycl::step(x, y), *to++ = sycl::step(y, x);
        *to++ = sycl::smoothstep(T(0.0f), z, T(1.0f)), *to++ = sycl::smoothstep(x, z, y);
        *to++ = sycl::sign(y), *to++ = sycl::sign(T(0.0f)), *to++ = sycl::sign(x);
        *to++ = sycl::fabs(sycl::radians(T(180.0f)) - T(3.14159f)) < T(0.01f);
        *to++ = sycl::fabs(sycl::degrees(T(1.0f)) - T(57.2958f)) < T(0.1f);
        const sycl::vec<T, 2> v(x, y);
        const sycl::marray<T, 2> m(x, z);
        *to++ = sycl::clamp(v, y, T(1.0f))[0], *to++ = sycl::mix(m, m, m)[1];
        *to++ = sycl::max(v, v.template swizzle<1, 0>())[1];
      },
      {1, 2.5, -0.5, 3.25, 0, 1, 0.15625, 0, -1, 0, 1, 1, 1, 1, 4, 2.5});
}
TEST(common_functions) {
  test_common<float>();
  test_common<double>();
  test_common<half>();
}

template <class T> void test_geometric() {
  expect_numbers<double>(
      [](double *to) {
        const sycl::vec<T, 3> a(T(1.0f), T(2.0f), T(3.0f)), b(T(4.0f), T(-5.0f), T(6.0f));
        const sycl::marray<T, 4> m(T(1.0f), T(4.0f), T(8.0f), T(0.0f));
        const sycl::vec<T, 2> large(std::numeric_limits<T>::max() / T(2.0f));
        *to++ = sycl::dot(a, b), *to++ = sycl::cross(a, b)[0], *to++ = sycl::cross(a, b)[1];
        *to++ = sycl::cross(a, b)[2], *to++ = sycl::length(m), *to++ = sycl::cross(m, m)[3];
        *to++ = sycl::distance(a, a + sycl::vec<T, 3>(T(2.0f), T(3.0f), T(6.0f)));
        *to++ = sycl::fabs(sycl::normalize(m)[2] * T(9.0f) - T(8.0f)) < T(0.01f);
        *to++ = sycl::length(T(-3.0f)), *to++ = sycl::dot(T(-3.0f), T(2.0f));
        *to++ = sycl::length(large) < std::numeric_limits<T>::max();
        *to++ = sycl::length(a.template swizzle<0, 0, 0, 0>()), *to++ = sycl::normalize(m - m)[0];
      },
      {12, 27, 6, -13, 9, 0, 7, 1, 3, -6, 1, 2, 0});
}
// The function templates of the specification, with explicit template arguments.
TEST(types_of_arguments_are_given) {
  expect_numbers<double>(
      [](double *to) {
        *to++ = sycl::max<float>(1.0f, 2), *to++ = sycl::max<double, double>(3.0, 2.0);
        *to++ = sycl::clamp<half, half, half>(half(5.0f), half(1.0f), half(4.0f));
        *to++ = sycl::max<int>(3, 2u), *to++ = sycl::min<long, long>(3, 2);
        *to++ = sycl::abs_diff<char, char>(93, 40);
        *to++ = sycl::mad_hi<unsigned, unsigned, unsigned>(1u << 31, 6, 4);
        *to++ = sycl::bitselect<short, short, short>(0x0f0f, 0x3333, 0x00ff);
        *to++ = sycl::bitselect<short>(0x0f0f, 0x3333, 0x0ff0);
        *to++ = sycl::bitselect(half(1.0f), half(2.0f), half(-0.0f));
        *to++ = sycl::step<sycl::float2>(2.0f, sycl::float2(1.0f, 2.0f))[0];
        *to++ = sycl::smoothstep<sycl::marray<float, 2>>(0.0f, 2.0f, {1.0f, 2.0f})[0];
        *to++ = sycl::sign<float>(-3);
        *to++ = sycl::clamp<half>(half(5.0f), half(1.0f), half(4.0f));
        *to++ = sycl::sign<half>(half(-3.0f)), *to++ = sycl::min<half>(half(3.0f), half(2.0f));
      },
      {2, 3, 4, 3, 2, 53, 7, 0x0f33, 0x033f, 1, 0, 0.5, -1, 4, -1, 2});
}

namespace other {
constexpr int mix(half, half, half) {
  return 77;
}
int mixed(half a) {
  return mix(a, a, a);
}
template <class T> constexpr int clamp(T, T, T) {
  return 78;
}
template <class T> constexpr int bitselect(T, T, T) {
  return 79;
}
template <class T> int clamped(T a) {
  return clamp<T>(a, 0, 1);
}
template <class T> int clamped_by_its_own(T a) {
  return clamp<T>(a, a, a);
}
template <class T> int clamped_by_deduction(T a) {
  return clamp(a, a, a);
}
template <class T> constexpr int sign(T) {
  return 80;
}
template <class T> int signed_by_deduction(T a) {
  return sign(a);
}
template <class T> int selected(T a) {
  return bitselect<T>(a, a, a) + bitselect(a, a, a);
}
} // namespace other

TEST(functions_of_the_program_for_halves) {
  EXPECT_EQ(other::mixed(half(1.0f)), 77);
  EXPECT_EQ(other::clamped(half(1.0f)), 78);
  EXPECT_EQ(other::clamped_by_its_own(half(1.0f)), 78);
  EXPECT_EQ(other::clamped_by_deduction(half(1.0f)), 78);
  EXPECT_EQ(other::signed_by_deduction(half(1.0f)), 80);
  EXPECT_EQ(other::selected(half(1.0f)), 2 * 79);
}

TEST(geometric_functions) {
  test_geometric<float>();
  test_geometric<double>();
  test_geometric<half>();
  expect_numbers<int>(
      [](int *to) {
        const sycl::float2 a(3.0f, 4.0f);
        *to++ = sycl::fabs(sycl::fast_length(a) - 5.0f) < 0.005f;
        *to++ = sycl::fabs(sycl::fast_distance(a, -a) - 10.0f) < 0.01f;
        *to++ = sycl::fabs(sycl::fast_normalize(a)[1] - 0.8f) < 0.001f;
      },
      {1, 1, 1});
}

} // namespace
