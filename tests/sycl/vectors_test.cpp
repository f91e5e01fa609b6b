// vec, its swizzles and marray: each function runs on the host and in a kernel. Both results are
// compared with the same function computed on each number.
#define SYCL_SIMPLE_SWIZZLES
#include <sycl/sycl.hpp>

#include "check.h"

#include <cstring>

namespace {

using sycl::marray;
using sycl::vec;

// Runs function(in, out) here and in a kernel; both results must equal `wanted`.
template <class In, class Out, std::size_t Inputs, std::size_t Outputs, class Function>
void check_both(const char *what, const In (&in)[Inputs], const Out (&wanted)[Outputs],
                Function function) {
  sycl::queue queue;
  In *input = sycl::malloc_shared<In>(Inputs, queue);
  Out *output = sycl::malloc_shared<Out>(Outputs, queue);
  std::memcpy(input, in, sizeof(in));
  for (int device = 0; device < 2; ++device) {
    std::memset(static_cast<void *>(output), 0x5a, sizeof(wanted));
    if (device)
      queue.single_task([=] { function(input, output); }).wait();
    else
      function(input, output);
    for (std::size_t i = 0; i < Outputs; ++i)
      if (!(output[i] == wanted[i]))
        check::failed(__FILE__, __LINE__,
                      std::string(what) + (device ? " on the device, " : " on the host, ") +
                          std::to_string(i) + ": " + std::to_string(output[i]) + ", not " +
                          std::to_string(wanted[i]));
  }
  sycl::free(input, queue);
  sycl::free(output, queue);
}

template <class T, int N> struct Arithmetic {
  void operator()(const T *in, T *out) const {
    vec<T, N> a, b, result[11];
    a.load(0, in);
    b.load(1, in);
    result[0] = a + b, result[1] = a - b, result[2] = a * b, result[3] = a / b;
    result[4] = a + 2, result[5] = T(7) - b, result[6] = -a;
    result[7] = a, result[7] += b, result[7] *= 3;
    result[8] = a++, result[9] = --b;
    result[10] = sycl::vec<T, N>(a + b);
    for (int i = 0; i < 11; ++i)
      result[i].store(std::size_t(i), out);
  }
};

template <class T, int N> void check_arithmetic(const char *what) {
  T in[2 * N], wanted[11 * N];
  for (int i = 0; i < N; ++i) {
    const T a = in[i] = static_cast<T>(i * 5 + 1), b = in[N + i] = static_cast<T>(N - i + 1);
    const T all[] = {static_cast<T>(a + b), static_cast<T>(a - b),        static_cast<T>(a * b),
                     static_cast<T>(a / b), static_cast<T>(a + 2),        static_cast<T>(7 - b),
                     static_cast<T>(-a),    static_cast<T>((a + b) * 3),  a,
                     static_cast<T>(b - 1), static_cast<T>(a + 1 + b - 1)};
    for (int k = 0; k < 11; ++k)
      wanted[k * N + i] = all[k];
  }
  check_both(what, in, wanted, Arithmetic<T, N>());
}

TEST(arithmetic_of_vec) {
  check_arithmetic<float, 4>("float4");
  check_arithmetic<float, 1>("float1");
  check_arithmetic<double, 3>("double3");
  check_arithmetic<std::int8_t, 16>("char16");
  check_arithmetic<std::uint16_t, 2>("ushort2");
  check_arithmetic<long, 8>("long8");
}

TEST(bits_and_comparisons_of_vec) {
  const int in[8] = {-9, 6, 0, 100, 3, 6, 5, -100};
  int wanted[13 * 4];
  for (int i = 0; i < 4; ++i) {
    const int a = in[i], b = in[4 + i];
    const int all[] = {a % 4,     a & b,     a | b,    a ^ b,     b << 2,    a >> 1, ~a,
                       -(a == b), -(a != b), -(a < b), -(a >= 5), -(a && b), -!a};
    for (int k = 0; k < 13; ++k)
      wanted[k * 4 + i] = all[k];
  }
  check_both("int4", in, wanted, [](const int *input, int *out) {
    sycl::int4 a, b;
    a.load(0, input), b.load(1, input);
    sycl::int4 shifted = b;
    shifted <<= 2;
    (a % 4).store(0, out), (a & b).store(1, out), (a | b).store(2, out), (a ^ b).store(3, out);
    shifted.store(4, out), (a >> 1).store(5, out), (~a).store(6, out);
    (a == b).store(7, out), (a != b).store(8, out), (a < b).store(9, out), (a >= 5).store(10, out);
    (a && b).store(11, out), (!a).store(12, out);
  });
  static_assert(std::is_same_v<decltype(sycl::double2() < 1), sycl::long2>);
  static_assert(std::is_same_v<decltype(!sycl::uchar3()), sycl::char3>);
  const vec<std::byte, 2> bytes(std::byte(0xf0), std::byte(0x3c));
  EXPECT((bytes & std::byte(0x30))[1] == std::byte(0x30) && (~bytes)[0] == std::byte(0x0f));
}

TEST(swizzles) {
  const float in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float wanted[] = {3,  2,  1,  2,   // read in another order, with a duplicate
                          6,  8,  10, 12,  // lower and upper half
                          2,  4,  6,  8,   // odd
                          1,  20, 10, 4,   // assigned in another order
                          4,  2,  3,  1,   // from the vector itself
                          1,  3,  0,  8,   // a step, one element, a compound assignment
                          -1, 2,  -3, 4,   // a swizzle of a swizzle
                          3,  6,  9,  4,   // by an index that is unknown at compile time
                          1,  2,  3,  -5}; // halves of three, operators with scalars
  check_both("swizzles", in, wanted, [](const float *input, float *out) {
    sycl::float4 v, write;
    v.load(0, input);
    sycl::float8 w;
    w.load(0, input);
    const sycl::float4 read = v.zyxy();
    read.store(0, out);
    (w.lo() + w.hi()).store(1, out);
    sycl::float4(w.odd()).store(2, out);
    write = v;
    write.zy() = sycl::float2(10, 20);
    write.store(3, out);
    write = v;
    write.swizzle<0, 3>() = write.swizzle<3, 0>();
    write.store(4, out);
    write = v;
    write.swizzle<1>()++;
    write.swizzle<2>() = 0;
    write.wx() *= vec<float, 2>(2, 1);
    write.store(5, out);
    write = v;
    write.bgra().swizzle<0, 2>() = -write.swizzle<2, 0>();
    write.store(6, out);
    write = v;
    for (int i = 0; i < 3; ++i)
      write.xyz()[i] *= input[2];
    write.store(7, out);
    sycl::float3 three(0.0f);
    three.lo() = v.lo();
    three.s2() = v.even()[1];
    sycl::float4(three, 5 - v.hi().y() * 2 - v.swizzle<1>() * 1).store(8, out);
  });
  const sycl::float4 constant(1, sycl::float2(2, 3), 4);
  EXPECT_EQ(constant.xy().yx()[0], 2);
  EXPECT((constant.swizzle<1>() + constant.swizzle<3>())[0] == 6.0f);
  EXPECT_EQ(static_cast<int>((constant.wwww() == constant).swizzle<3>()), -1);
  static_assert(!std::is_assignable_v<decltype(constant.xy()), decltype(sycl::int2().xy())>);
}

TEST(conversions_and_layout) {
  const double in[8] = {2.5, -2.5, 3.5, -0.75, 0.1, -0.1, 16777217.0, 1e300};
  const double largest = std::numeric_limits<float>::max();
  const double infinity = std::numeric_limits<double>::infinity();
  const double wanted[] = {2,
                           -2,
                           3,
                           0,
                           2,
                           -2,
                           4,
                           -1,
                           3,
                           -2,
                           4,
                           0,
                           2,
                           -3,
                           3,
                           -1, // to int
                           static_cast<double>(0.1f),
                           static_cast<double>(-0.1f),
                           16777216,
                           infinity,
                           0x1.999998p-4,
                           -0x1.999998p-4,
                           16777216,
                           largest, // toward zero
                           0x1.99999ap-4,
                           -0x1.999998p-4,
                           16777218,
                           infinity, // rounded up
                           0x1.999998p-4,
                           -0x1.99999ap-4,
                           16777216,
                           largest, // rounded down
                           16777216,
                           16777218,
                           16777218,
                           -16777218, // to integers
                           2,
                           -2,
                           4,
                           -1}; // to int, by default
  check_both("conversions", in, wanted, [](const double *input, double *out) {
    using mode = sycl::rounding_mode;
    sycl::double4 a, b;
    a.load(0, input), b.load(1, input);
    a.convert<int, mode::rtz>().convert<double>().store(0, out);
    a.convert<int, mode::rte>().convert<double>().store(1, out);
    a.convert<int, mode::rtp>().convert<double>().store(2, out);
    a.convert<int, mode::rtn>().convert<double>().store(3, out);
    b.convert<float>().convert<double>().store(4, out);
    b.convert<float, mode::rtz>().convert<double>().store(5, out);
    b.convert<float, mode::rtp>().convert<double>().store(6, out);
    b.convert<float, mode::rtn>().convert<double>().store(7, out);
    const int odd = static_cast<int>(input[6]);
    const vec<int, 2> whole(odd, -odd);
    const sycl::float2 down = whole.convert<float, mode::rtn>();
    const vec<long, 1> wide = odd;
    out[32] = double(whole.convert<float>()[0]);
    out[33] = double(float(wide.convert<float, mode::rtp>()));
    out[34] = double(vec<unsigned, 1>(unsigned(odd)).convert<float, mode::rtp>()[0]);
    out[35] = double(down[1]);
    a.convert<int>().convert<double>().store(9, out);
  });
  const sycl::float4 bits(1.0f, -2.0f, 0.0f, 0.5f);
  EXPECT_EQ(bits.as<sycl::uint4>()[1], 0xc0000000u);
  EXPECT_EQ(bits.as<sycl::char16>()[3], 0x3f);
  static_assert(sizeof(sycl::float3) == 16 && alignof(sycl::float3) == 16);
  static_assert(sizeof(sycl::double16) == 128 && alignof(sycl::double16) == 64);
  static_assert(sycl::short8::byte_size() == 16 && sycl::short8::size() == 8);
  static_assert(std::is_trivially_copyable_v<sycl::int3> &&
                !std::is_convertible_v<int, sycl::int2>);
  static_assert(!std::is_convertible_v<sycl::int2, int> && std::is_convertible_v<vec<int, 1>, int>);
  static_assert(std::is_same_v<decltype(vec(1, 2, 3)), sycl::int3>);
}

template <class T, std::size_t N> struct OfMarray {
  void operator()(const T *in, T *out) const {
    marray<T, N> a, b;
    for (std::size_t i = 0; i < N; ++i)
      a[i] = in[i], b[i] = in[N + i];
    marray<T, N> results[] = {a + b, a - b, a * T(2), T(100) / b, -a, a, a};
    results[5] *= b, results[5] -= T(1);
    ++results[6], results[6]++;
    const marray<bool, N> less = a < b, both = a && T(1), none = !b, same = a == T(6);
    for (const marray<T, N> &result : results)
      for (const T value : result)
        *out++ = value;
    for (std::size_t i = 0; i < N; ++i)
      *out++ = static_cast<T>(less[i] + 2 * both[i] + 4 * none[i] + 8 * same[i]);
  }
};

template <class T, std::size_t N> void check_marray(const char *what) {
  T in[2 * N], wanted[8 * N];
  for (std::size_t i = 0; i < N; ++i) {
    const T a = in[i] = static_cast<T>(i * 3), b = in[N + i] = static_cast<T>(i % 4 + 1);
    const T all[] = {
        static_cast<T>(a + b),
        static_cast<T>(a - b),
        static_cast<T>(a * 2),
        static_cast<T>(100 / b),
        static_cast<T>(-a),
        static_cast<T>(a * b - 1),
        static_cast<T>(a + 2),
        static_cast<T>((a < b) + (a != 0 ? 2 : 0) + (b == 0 ? 4 : 0) + (a == 6 ? 8 : 0))};
    for (std::size_t k = 0; k < 8; ++k)
      wanted[k * N + i] = all[k];
  }
  check_both(what, in, wanted, OfMarray<T, N>());
}

// A user-defined number with its own operators.
struct Modulo7 {
  int value = 0;
  constexpr Modulo7() = default;
  constexpr Modulo7(int of) : value((of % 7 + 7) % 7) {}
  friend constexpr Modulo7 operator+(Modulo7 a, Modulo7 b) { return a.value + b.value; }
  friend constexpr Modulo7 operator-(Modulo7 a, Modulo7 b) { return a.value - b.value; }
  friend constexpr Modulo7 operator*(Modulo7 a, Modulo7 b) { return a.value * b.value; }
  friend constexpr bool operator<(Modulo7 a, Modulo7 b) { return a.value < b.value; }
};

TEST(marrays_of_classes) {
  const int in[3] = {3, 6, 0};
  const int wanted[] = {2, 2, 4, 0, 6, 1, 0, 3};
  check_both("marray<Modulo7, 3>", in, wanted, [](const int *input, int *out) {
    const marray<Modulo7, 3> a{Modulo7(input[0]), Modulo7(input[1]), Modulo7(input[2])};
    marray<Modulo7, 3> b = a * a;
    out[0] = b[0].value, out[1] = (a + a)[0].value - 4; // 9 mod 7, 6 - 4
    b = a;
    out[2] = (++b)[0].value, out[3] = b[1].value;
    --b, --b;
    out[4] = b[2].value, out[5] = (a < b)[2], out[6] = (a < b)[0];
    out[7] = (b-- + Modulo7(1))[0].value;
  });
}

TEST(marrays) {
  check_marray<float, 5>("marray<float, 5>");
  check_marray<long, 1>("marray<long, 1>");
  check_marray<short, 17>("marray<short, 17>");
  const int in[6] = {-7, 5, 6, 2, 3, 1};
  const int wanted[] = {-7 & 2, 5 | 3, -7 % 2, 5 << 3, -7 >> 2, ~6, 6 ^ 1, 9};
  check_both("marray<int, 3>", in, wanted, [](const int *input, int *out) {
    const marray<int, 3> a(input[0], marray<int, 2>(input[1], input[2]));
    const marray<int, 3> b(input[3], input[4], input[5]);
    marray<int, 3> c = a;
    c = 9;
    out[0] = (a & b)[0], out[1] = (a | b)[1], out[2] = (a % b)[0], out[3] = (a << b)[1];
    out[4] = (a >> b)[0], out[5] = (~a)[2], out[6] = (a ^ b)[2], out[7] = *(c.end() - 1);
  });
  static_assert(std::is_same_v<decltype(marray(1.0f, 2.0f)), sycl::mfloat2>);
  static_assert(sizeof(marray<char, 3>) == 3 && std::is_convertible_v<marray<int, 1>, int>);
}

} // namespace
