// half on the host and in a kernel, compared with float results rounded once, and with IEEE
// binary16 bits.
#include <sycl/sycl.hpp>

#include "check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

using sycl::half;

TEST(operators) {
  constexpr int count = 9, results = 8;
  const float values[count] = {0.1f, -3.5f, 1024.5f, 65504.0f, 6e-8f, -0.0f, 7e-5f, 333.0f, -1.0f};
  sycl::queue queue;
  half *out = sycl::malloc_shared<half>(count * count * results, queue);
  float *in = sycl::malloc_shared<float>(count, queue);
  for (int i = 0; i < count; ++i)
    in[i] = values[i];
  const auto compute = [=](int i) {
    const half a = in[i / count], b = in[i % count];
    half *to = out + i * results;
    half counted = a;
    ++counted, counted++;
    to[0] = a + b, to[1] = a - b, to[2] = a * b, to[3] = a / b, to[4] = -a, to[5] = counted;
    to[6] = (a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * (a != 1.0f);
    to[7] = a * 2 + 0.5f;
  };
  for (int device = 0; device < 2; ++device) {
    if (device)
      queue.parallel_for(count * count, [=](sycl::id<1> i) { compute(int(i[0])); }).wait();
    else
      for (int i = 0; i < count * count; ++i)
        compute(i);
    for (int i = 0; i < count * count; ++i) {
      const float a = half(values[i / count]), b = half(values[i % count]);
      const float wanted[results] = {a + b,
                                     a - b,
                                     a * b,
                                     a / b,
                                     -a,
                                     float(half(a + 1.0f)) + 1.0f,
                                     float((a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * (a != 1.0f)),
                                     float(half(a * 2.0f)) + 0.5f};
      for (int k = 0; k < results; ++k) {
        const float got = out[i * results + k], rounded = half(wanted[k]);
        EXPECT(got == rounded || (std::isnan(got) && std::isnan(rounded)));
        out[i * results + k] = half(12345.0f);
      }
    }
  }
  sycl::free(out, queue);
  sycl::free(in, queue);
}

TEST(conversions) {
  using mode = sycl::rounding_mode;
  constexpr int count = 8;
  const double values[count] = {65519.0,  65520.0, 0.1,  1.0 + 0x1p-11 + 0x1p-40,
                                -0x1p-25, 2.5,     -1e9, 0x1.8p-24};
  const std::uint16_t nearest[count] = {0x7bff, 0x7c00, 0x2e66, 0x3c01,
                                        0x8000, 0x4100, 0xfc00, 0x0002};
  const std::uint16_t zero[count] = {0x7bff, 0x7bff, 0x2e66, 0x3c00,
                                     0x8000, 0x4100, 0xfbff, 0x0001};
  const std::uint16_t up[count] = {0x7c00, 0x7c00, 0x2e67, 0x3c01, 0x8000, 0x4100, 0xfbff, 0x0002};
  sycl::queue queue;
  double *in = sycl::malloc_shared<double>(count, queue);
  std::uint16_t *out = sycl::malloc_shared<std::uint16_t>(4 * count, queue);
  for (int i = 0; i < count; ++i)
    in[i] = values[i];
  const auto compute = [=] {
    sycl::double8 v;
    v.load(0, in);
    v.convert<half>().as<sycl::ushort8>().store(0, out);
    v.convert<half, mode::rtz>().as<sycl::ushort8>().store(1, out);
    v.convert<half, mode::rtp>().as<sycl::ushort8>().store(2, out);
    const sycl::int2 whole(int(in[6]), 2049);
    whole.convert<half, mode::rtz>().as<sycl::ushort2>().store(12, out);
    whole.convert<half, mode::rtp>().as<sycl::ushort2>().store(13, out);
    out[28] = std::uint16_t(sycl::half2(half(2.5f)).convert<int, mode::rte>()[1]);
    out[29] = std::uint16_t(half(in[5]));
    out[30] = out[31] = 0;
  };
  const std::uint16_t others[] = {0xfbff, 0x6800, 0xfbff, 0x6801, 2, 2};
  for (int device = 0; device < 2; ++device) {
    if (device)
      queue.single_task(compute).wait();
    else
      compute();
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(out[i], nearest[i]);
      EXPECT_EQ(out[count + i], zero[i]);
      EXPECT_EQ(out[2 * count + i], up[i]);
    }
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(out[24 + i], others[i]);
    for (int i = 0; i < 4 * count; ++i)
      out[i] = 0x5a5a;
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

TEST(the_device_says_so) {
  namespace info = sycl::info::device;
  static_assert(sycl::any_device_has_v<sycl::aspect::fp16>);
  const sycl::device device = sycl::queue().get_device();
  EXPECT(device.has(sycl::aspect::fp16));
  EXPECT(device.get_info<info::native_vector_width_half>() >=
         device.get_info<info::native_vector_width_float>());
  EXPECT(device.get_info<info::preferred_vector_width_half>() >= 1);
  const auto config = device.get_info<info::half_fp_config>();
  for (const auto must : {sycl::info::fp_config::denorm, sycl::info::fp_config::inf_nan,
                          sycl::info::fp_config::round_to_nearest})
    EXPECT(std::find(config.begin(), config.end(), must) != config.end());
}

// Functions of the program with names of SYCL functions, called without a namespace.
namespace own {
template <class To, class From> To bit_cast(const From &from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
template <class T> int select(const T &) {
  return 1;
}
template <class T> int clamp(const T &, const T &) {
  return 2;
}
template <class T> int value_as(const T &) {
  return 3;
}
template <class T> int sqrt(const T &) {
  return 4;
}
int all(half one) {
  return bit_cast<std::uint16_t>(one) + select(one) + clamp(one, one) + value_as(one) + sqrt(one);
}
int all(sycl::ext::oneapi::bfloat16 one) {
  return bit_cast<std::uint16_t>(one) + select(one) + clamp(one, one) + value_as(one) + sqrt(one);
}
} // namespace own
TEST(names_of_the_program) {
  EXPECT_EQ(own::all(half(1)), 0x3c00 + 10);
  EXPECT_EQ(own::all(sycl::ext::oneapi::bfloat16(1.0f)), 0x3f80 + 10);
}

// Members of unions need trivial constructors; ggml has such unions.
template <class Number> union bits_of {
  Number number;
  std::uint16_t bits;
};
TEST(members_of_unions) {
  using sycl::ext::oneapi::bfloat16;
  static_assert(std::is_trivially_default_constructible_v<half>);
  static_assert(std::is_trivially_default_constructible_v<bfloat16>);
  bits_of<half> a;
  bits_of<bfloat16> b;
  a.number = half(1);
  b.number = bfloat16(1.0f);
  EXPECT_EQ(a.bits, 0x3c00);
  EXPECT_EQ(b.bits, 0x3f80);
  constexpr half zero{};
  constexpr bfloat16 other{};
  EXPECT(zero == 0 && float(other) == 0 && float(sycl::half3()[2]) == 0 &&
         float(sycl::mhalf2()[1]) == 0);
}

TEST(limits_and_types) {
  using limits = std::numeric_limits<half>;
  EXPECT_EQ(float(limits::max()), 65504.0f);
  EXPECT_EQ(float(limits::min()), 0x1p-14f);
  EXPECT_EQ(float(limits::denorm_min()), 0x1p-24f);
  EXPECT_EQ(float(limits::epsilon()), 0x1p-10f);
  EXPECT(std::isinf(float(limits::infinity())) && std::isnan(float(limits::quiet_NaN())));
  static_assert(sizeof(half) == 2 && alignof(half) == 2 && std::is_trivially_copyable_v<half>);
  static_assert(std::is_same_v<decltype(half() + 1.0f), float>);
  static_assert(std::is_same_v<decltype(1 * half()), half>);
  const sycl::half4 v(1, 2.5f, half(-3), 0.25);
  EXPECT_EQ(float((v * v + v.swizzle<3, 2, 1, 0>())[1]), 3.25f);
  EXPECT_EQ(int((v < half(2))[0]), -1);
  EXPECT_EQ(float((sycl::mhalf3(half(2)) / half(8))[2]), 0.25f);
}

} // namespace
