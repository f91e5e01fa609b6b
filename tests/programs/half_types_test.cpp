// Tests half as a type (cl_khr_fp16): device queries, conversions from every half and to halves,
// comparisons, vectors in memory, copies, collectives, arguments, printf.
#include "half_numbers.h"
#include "opencl_fixture.h"

#include <CL/cl_ext.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

namespace lockstep::test {
namespace {

const std::string enable = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";

class HalfTypes : public DeviceTest {
protected:
  template <class Out, class In>
  std::vector<Out> run(const std::string &source, const std::vector<In> &in, size_t out_count,
                       size_t items, size_t local = 0, const char *options = "-cl-std=CL3.0") {
    Program program = build((enable + source).c_str(), options);
    Kernel kernel = make_kernel(program, "k");
    Memory from = make_buffer(in.size() * sizeof(In)), to = make_buffer(out_count * sizeof(Out));
    write(from, in);
    write(to, std::vector<Out>(out_count));
    cl_mem buffers[] = {from, to};
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, local ? &local : nullptr,
                                     0, nullptr, nullptr),
              CL_SUCCESS);
    return read<Out>(to, out_count);
  }

  template <class T> void check_to_integer(const std::string &type);
  template <class T> void check_from(const std::string &type, const std::vector<T> &in);

  static std::vector<uint16_t> every_half() {
    std::vector<uint16_t> all(1 << 16);
    for (size_t i = 0; i != all.size(); ++i)
      all[i] = uint16_t(i);
    return all;
  }
  std::vector<uint16_t> to_halves(const std::vector<double> &numbers) const {
    std::vector<uint16_t> result;
    for (double number : numbers)
      result.push_back(halves_.rounded(number, Rounding::nearest));
    return result;
  }

  const Halves halves_;
};

struct Suffix {
  const char *name;
  Rounding rounding;
};
constexpr Suffix suffixes[] = {{"", Rounding::nearest},
                               {"_rte", Rounding::nearest},
                               {"_rtz", Rounding::to_zero},
                               {"_rtp", Rounding::up},
                               {"_rtn", Rounding::down}};

TEST_F(HalfTypes, TheDeviceSaysSo) {
  const auto config = device_info<cl_device_fp_config>(CL_DEVICE_HALF_FP_CONFIG);
  EXPECT_EQ(config | CL_FP_FMA,
            cl_device_fp_config(CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA));
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF), 1u);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF), 1u);
  std::string extensions(1 << 14, '\0');
  EXPECT_EQ(
      clGetDeviceInfo(device_, CL_DEVICE_EXTENSIONS, extensions.size(), extensions.data(), nullptr),
      CL_SUCCESS);
  EXPECT_NE(extensions.find("cl_khr_fp16"), std::string::npos);
}

// ---- conversions ----

double rounded_to_integer(double number, Rounding rounding) {
  switch (rounding) {
  case Rounding::nearest:
    return std::nearbyint(number);
  case Rounding::to_zero:
    return std::trunc(number);
  case Rounding::up:
    return std::ceil(number);
  case Rounding::down:
    return std::floor(number);
  }
  return number;
}

// Ten results per half: five roundings, saturated and not. Without a suffix, conversions round
// toward zero.
template <class T> void HalfTypes::check_to_integer(const std::string &type) {
  std::string body;
  int place = 0;
  for (const char *saturation : {"", "_sat"})
    for (const Suffix &suffix : suffixes)
      body += "out[i * 10 + " + std::to_string(place++) + "] = convert_" + type + saturation +
              suffix.name + "(in[i]);\n";
  auto out = run<T>("kernel void k(global const half *in, global " + type +
                        " *out) { size_t i = get_global_id(0);\n" + body + "}",
                    every_half(), 655360, 65536);
  constexpr double lowest = double(std::numeric_limits<T>::min());
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  for (size_t i = 0; i != 65536; ++i) {
    const double x = number_of_half(uint16_t(i));
    for (size_t j = 0; j != 10; ++j) {
      const Rounding rounding = j % 5 == 0 ? Rounding::to_zero : suffixes[j % 5].rounding;
      const double number = rounded_to_integer(x, rounding);
      const bool fits = number >= lowest && number < beyond;
      if (!fits && j < 5)
        continue; // undefined
      const T wanted = fits            ? T(number)
                       : std::isnan(x) ? T(0)
                       : number < 0    ? std::numeric_limits<T>::min()
                                       : std::numeric_limits<T>::max();
      ASSERT_EQ(out[i * 10 + j], wanted) << type << ", " << x << ", way " << j;
    }
  }
}

TEST_F(HalfTypes, EveryHalfToIntegers) {
  check_to_integer<cl_char>("char");
  check_to_integer<cl_uchar>("uchar");
  check_to_integer<cl_short>("short");
  check_to_integer<cl_ushort>("ushort");
  check_to_integer<cl_int>("int");
  check_to_integer<cl_uint>("uint");
  check_to_integer<cl_long>("long");
  check_to_integer<cl_ulong>("ulong");
}

// For scalars, five roundings and the cast; for vectors of 4, the roundings.
template <class T> void HalfTypes::check_from(const std::string &type, const std::vector<T> &in) {
  std::string body = "out[i * 11] = (half)in[i];\n";
  int place = 1;
  for (const Suffix &suffix : suffixes)
    body +=
        "out[i * 11 + " + std::to_string(place++) + "] = convert_half" + suffix.name + "(in[i]);\n";
  for (const Suffix &suffix : suffixes)
    body += "out[i * 11 + " + std::to_string(place++) + "] = convert_half4" + suffix.name +
            "(vload4(i / 4, in))[i % 4];\n";
  auto out =
      run<uint16_t>("kernel void k(global const " + type +
                        " *in, global half *out) { size_t i = get_global_id(0);\n" + body + "}",
                    in, in.size() * 11, in.size());
  for (size_t i = 0; i != in.size(); ++i)
    for (size_t j = 0; j != 11; ++j) {
      const Rounding rounding = j == 0 ? Rounding::nearest : suffixes[(j - 1) % 5].rounding;
      const uint16_t got = out[i * 11 + j];
      if (in[i] != in[i]) {
        ASSERT_TRUE(is_nan_half(got)) << type;
      } else { // 64-bit integers: a double is exact up to the largest half
        ASSERT_EQ(got, halves_.rounded(double(in[i]), rounding))
            << type << " " << double(in[i]) << ", way " << j;
      }
    }
}

template <class T> std::vector<T> integers() {
  std::vector<T> result;
  std::mt19937_64 random(sizeof(T));
  for (int shift = 0; shift != int(sizeof(T) * 8); ++shift)
    for (int i = 0; i != 40; ++i)
      result.push_back(T(T(random()) >> shift));
  for (int64_t near :
       {0, 2047, 2048, 2049, 4097, 65503, 65504, 65505, 65519, 65520, 65521, 65535, 65536})
    for (int64_t one : {near, -near})
      result.push_back(T(one));
  result.push_back(std::numeric_limits<T>::max());
  result.push_back(std::numeric_limits<T>::min());
  while (result.size() % 4)
    result.push_back(T(7));
  return result;
}

TEST_F(HalfTypes, IntegersToHalves) {
  check_from<cl_char>("char", integers<cl_char>());
  check_from<cl_uchar>("uchar", integers<cl_uchar>());
  check_from<cl_short>("short", integers<cl_short>());
  check_from<cl_ushort>("ushort", integers<cl_ushort>());
  check_from<cl_int>("int", integers<cl_int>());
  check_from<cl_uint>("uint", integers<cl_uint>());
  check_from<cl_long>("long", integers<cl_long>());
  check_from<cl_ulong>("ulong", integers<cl_ulong>());
}

// The significand fits into a half, but the exponent does not.
TEST_F(HalfTypes, IntegersOfFewBitsThatNoHalfHolds) {
  const std::vector<cl_int> in = {0, -1, 1 << 15, 1 << 16, 1 << 20, -(1 << 16), -(1 << 24)};
  const auto out = run<cl_float>(R"(
    kernel void k(global const int *in, global float *out) {
      const size_t i = get_global_id(0);
      out[3 * i] = (float)(half)(in[i] & 0x118000);
      out[3 * i + 1] = (float)(half)((uint)in[i] & 0xff000000u);
      out[3 * i + 2] = (float)(half)(((ulong)in[i] << 36) & 0x1000000000000000ul);
    })",
                                 in, 3 * in.size(), in.size());
  auto as_half = [&](auto number) {
    return cl_float(number < 65520 ? cl_float(number) : INFINITY);
  };
  for (size_t i = 0; i != in.size(); ++i) {
    EXPECT_EQ(out[3 * i], as_half(in[i] & 0x118000)) << in[i];
    EXPECT_EQ(out[3 * i + 1], as_half(cl_uint(in[i]) & 0xff000000U)) << in[i];
    EXPECT_EQ(out[3 * i + 2], as_half((cl_ulong(in[i]) << 36) & 0x1000000000000000U)) << in[i];
  }
}

// Converts by way of types that hold the number exactly: toward zero, the largest half is nearest.
TEST_F(HalfTypes, ExactNumbersThatNoHalfHolds) {
  const std::vector<cl_uint> in = {0, 1, 2, 3, 7};
  const auto out = run<cl_float>(R"(
    kernel void k(global const uint *in, global float *out) {
      const size_t i = get_global_id(0);
      const ulong large = 72057594037927936ul << in[i];
      out[4 * i] = convert_half_rtz(large);
      out[4 * i + 1] = convert_half_rtp(-(long)large);
      out[4 * i + 2] = (half)(float)large;
      out[4 * i + 3] = (half)(in[i] & 1 ? -(float)large : 4.0);
    })",
                                 in, 4 * in.size(), in.size());
  for (size_t i = 0; i != in.size(); ++i) {
    EXPECT_EQ(out[4 * i], 65504) << in[i];
    // 1 << 63 equals its own negation.
    EXPECT_EQ(out[4 * i + 1], -65504) << in[i];
    EXPECT_EQ(out[4 * i + 2], INFINITY) << in[i];
    EXPECT_EQ(out[4 * i + 3], in[i] & 1 ? -INFINITY : 4.0F) << in[i];
  }
}

// Tests a single number: processors with half arithmetic use other instructions for scalars than
// for vectors.
TEST_F(HalfTypes, OneHalfIsRoundedToTheNearestInteger) {
  const std::pair<uint16_t, cl_int> expected[] = {
      {0x555c, 86},  {0x5558, 86}, {0x5548, 84}, // 85.75, 85.5, 84.5
      {0xd55c, -86}, {0x3800, 0},  {0x3e00, 2}};
  for (const std::string how : {"convert_int_rte(x)", "convert_short_rte(x)",
                                "convert_char_sat_rte(x)", "convert_long_rte(x)", "(int)rint(x)"})
    for (auto [half, nearest] : expected) {
      const auto out = run<cl_int>(
          "kernel void k(global const half *in, global int *out) { const half x = *in; *out = " +
              how + "; }",
          std::vector<uint16_t>{half}, 1, 1);
      EXPECT_EQ(out[0], nearest) << how << " of " << std::hex << half;
    }
}

// Numbers around halves, and around the midpoints between them.
template <class T> std::vector<T> numbers_around_halves() {
  std::vector<T> result = {T(INFINITY),
                           T(-INFINITY),
                           T(NAN),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::denorm_min(),
                           T(0),
                           T(-0.0),
                           T(1e30)};
  for (unsigned half = 0; half < half_infinity; half += 5) {
    const double below = size_of_half(uint16_t(half)), above = size_of_half(uint16_t(half + 1));
    for (double number : {below, (below + above) / 2}) {
      const T one = T(half % 2 ? number : -number);
      result.insert(result.end(),
                    {one, std::nextafter(one, T(INFINITY)), std::nextafter(one, T(-INFINITY))});
    }
  }
  while (result.size() % 4)
    result.push_back(T(1));
  return result;
}

TEST_F(HalfTypes, RealNumbersToHalves) {
  check_from<float>("float", numbers_around_halves<float>());
  check_from<double>("double", numbers_around_halves<double>());
}

TEST_F(HalfTypes, HalvesToRealNumbers) {
  auto out = run<double>("kernel void k(global const half *in, global double *out) {\n"
                         "size_t i = get_global_id(0); half x = in[i]; half4 v = x;\n"
                         "out[i * 4] = convert_float_rtp(x); out[i * 4 + 1] = convert_double(x);\n"
                         "out[i * 4 + 2] = convert_float4_rtz(v).w; out[i * 4 + 3] = (double)x; }",
                         every_half(), 1 << 18, 1 << 16);
  for (size_t i = 0; i != out.size(); ++i) {
    const double wanted = number_of_half(uint16_t(i / 4));
    if (std::isnan(wanted))
      ASSERT_TRUE(std::isnan(out[i]));
    else
      ASSERT_EQ(std::bit_cast<uint64_t>(out[i]), std::bit_cast<uint64_t>(wanted));
  }
}

// ---- comparisons and choices ----

TEST_F(HalfTypes, ComparisonsAndChoices) {
  std::vector<uint16_t> in;
  const uint16_t special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00,
                              0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01};
  for (uint16_t a : special)
    for (uint16_t b : special)
      in.insert(in.end(), {a, b});
  const size_t pairs = in.size() / 2;
  const std::string of_two[] = {"isequal",        "isnotequal", "isgreater",
                                "isgreaterequal", "isless",     "islessequal",
                                "islessgreater",  "isordered",  "isunordered"},
                    of_one[] = {"isfinite", "isinf", "isnan", "isnormal", "signbit"};
  std::string body;
  int place = 0;
  auto add = [&](const std::string &scalar, const std::string &vector) {
    body += "out[i * 64 + " + std::to_string(place++) + "] = " + scalar + ";\n";
    body += "out[i * 64 + " + std::to_string(place++) + "] = " + vector + ";\n";
  };
  for (const std::string &name : of_two)
    add(name + "(a, b)", name + "(v, w).s2");
  for (const std::string &name : of_one)
    add(name + "(a)", name + "(v).s1");
  add("a < b", "(v < w).s0");
  add("as_short(select(a, b, (short)(i & 1)))", "as_short(select(v, w, (short3)(0, -1, 1)).s1)");
  add("as_short(select(a, b, (ushort)2))", "as_short(select(v, w, (ushort3)0x7fff).s0)");
  add("as_short(bitselect(a, b, as_half((ushort)0x0ff0)))",
      "as_short(bitselect(v, w, as_half3((short3)0x5555)).s2)");
  add("as_short(-a)", "as_short((-v).s0)");
  add("!a", "a || b");
  auto out = run<cl_int>(
      "kernel void k(global const half *in, global int *out) {\n"
      "size_t i = get_global_id(0); half a = in[2 * i], b = in[2 * i + 1]; half3 v = a, w = b;\n" +
          body + "}",
      in, pairs * 64, pairs);
  for (size_t i = 0; i != pairs; ++i) {
    const uint16_t a_bits = in[2 * i], b_bits = in[2 * i + 1];
    const double a = number_of_half(a_bits), b = number_of_half(b_bits);
    const uint16_t size = a_bits & ~half_sign;
    const bool truths[] = {a == b,
                           a != b,
                           a > b,
                           a >= b,
                           a < b,
                           a <= b,
                           a < b || a > b,
                           a == a && b == b,
                           a != a || b != b,
                           std::isfinite(a),
                           std::isinf(a),
                           std::isnan(a),
                           size >= 0x400 && size < half_infinity,
                           (a_bits & half_sign) != 0,
                           a < b};
    const cl_int *got = &out[i * 64];
    for (bool truth : truths) {
      EXPECT_EQ(*got++, truth) << a << ", " << b << ": result " << got - &out[i * 64];
      EXPECT_EQ(*got++, -truth) << a << ", " << b << ": result " << got - &out[i * 64];
    }
    const cl_short wanted[] = {cl_short(i & 1 ? b_bits : a_bits),
                               cl_short(b_bits),
                               cl_short(b_bits),
                               cl_short(a_bits),
                               cl_short((a_bits & ~0x0ff0) | (b_bits & 0x0ff0)),
                               cl_short((a_bits & ~0x5555) | (b_bits & 0x5555)),
                               cl_short(a_bits ^ half_sign),
                               cl_short(a_bits ^ half_sign)};
    for (cl_short one : wanted)
      EXPECT_EQ(*got++, one) << a << ", " << b << ": result " << got - &out[i * 64];
    EXPECT_EQ(*got++, a == 0) << a;
    EXPECT_EQ(*got++, a != 0 || b != 0) << a << ", " << b;
  }
}

// ---- memory, vectors, geometry ----

TEST_F(HalfTypes, VectorsInMemory) {
  const std::vector<double> numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
  const char *source = R"(
constant half table[5] = {1.0h, -2.5h, HALF_MAX, 0x1p-24h, M_PI_H};
struct Mixed { char c; half h; half3 v; };
void through(half2 x, half *p) { vstore2(x, 1, p); }
kernel void k(global const half *in, global half *out) {
  local half in_local[16]; half own[8];
  vstore16(vload16(0, in), 0, in_local); barrier(CLK_LOCAL_MEM_FENCE);
  vstore3(vload3(2, in + 1), 0, own);
  through(vload2(3, in_local), own);                  // own: 8 9 7 8, of which the third is overwritten
  vstore8(vload8(0, in_local).s76543210, 0, out);     // 8 7 6 5 4 3 2 1
  vstore4((half4)(own[0], own[1], own[2], own[3]), 2, out);
  vstore4(vload4(0, table), 3, out);
  half8 x = vload8(1, in);
  vstore4(shuffle(x, (ushort4)(7, 0, 7, 1)), 4, out);
  vstore2(shuffle2(x.lo, x.hi, (ushort2)(5, 2)), 10, out);
  struct Mixed m = {1, in[16], vload3(0, in)};
  m.v *= m.h; m.v.yz += (half)0.5f;
  vstore3(m.v, 0, out + 22);
  out[25] = dot(m.v, m.v); out[26] = length((half2)(3, 4)); out[27] = distance((half4)1, (half4)2);
  vstore3(cross((half3)(1, 0, 0), (half3)(0, 1, 0)), 0, out + 28);
  vstore2(normalize((half2)(300.0h, 400.0h)), 0, out + 31);
  out[33] = table[4]; out[34] = sizeof(half3) + vec_step(half8); out[35] = length((half2)(60000.0h, 60000.0h));
  out[36] = as_half((short)0x4400); out[37] = (half)(as_short4((half4)1).w == 0x3c00);
})";
  auto out = run<uint16_t>(source, to_halves(numbers), 38, 1);
  const double third = 0.6 * 1.0;
  const std::vector<double> expected = {8,     7,
                                        6,     5,
                                        4,     3,
                                        2,     1,
                                        8,     9,
                                        7,     8,
                                        1,     -2.5,
                                        65504, 0x1p-24,
                                        16,    9,
                                        16,    10,
                                        14,    11,
                                        17,    34.5,
                                        51.5,  17 * 17 + 34.5 * 34.5 + 51.5 * 51.5,
                                        5,     2,
                                        0,     0,
                                        1,     third,
                                        0.8,   3.14159265358979,
                                        16,    INFINITY,
                                        4,     1};
  EXPECT_EQ(out, to_halves(expected));
}

TEST_F(HalfTypes, AsyncCopies) {
  std::vector<uint16_t> in(512);
  for (size_t i = 0; i != in.size(); ++i)
    in[i] = uint16_t(i * 77);
  const char *source = R"(
kernel void k(global const half *in, global half *out) {
  local half8 tile[32]; local half strided[32];
  event_t e = async_work_group_copy(tile, (const global half8 *)in + get_group_id(0) * 32, 32, 0);
  e = async_work_group_strided_copy(strided, in, 32, 3, e);
  prefetch(in, 16);
  wait_group_events(1, &e);
  e = async_work_group_copy((global half8 *)out + get_group_id(0) * 32, tile, 32, 0);
  e = async_work_group_copy(out + 512 + get_group_id(0) * 32, strided, 32, e);
  wait_group_events(1, &e);
})";
  auto out = run<uint16_t>(source, in, 576, 64, 32);
  for (size_t i = 0; i != 512; ++i)
    EXPECT_EQ(out[i], in[i]);
  for (size_t i = 0; i != 64; ++i)
    EXPECT_EQ(out[512 + i], in[i % 32 * 3]);
}

// ---- collectives, of numbers whose sums are exact ----

TEST_F(HalfTypes, SubGroupFunctions) {
  std::vector<double> numbers;
  for (int i = 0; i != 64; ++i)
    numbers.push_back((i * 37) % 64 - 32);
  const char *source = R"(
#pragma OPENCL EXTENSION cl_khr_subgroup_extended_types : enable
__attribute__((intel_reqd_sub_group_size(8)))
kernel void k(global const half *in, global half *out) {
  size_t i = get_global_id(0); half x = in[i]; out += i * 24;
  out[0] = sub_group_broadcast(x, 3); out[1] = sub_group_broadcast((half2)(x, -x), 2).y;
  out[2] = sub_group_reduce_add(x); out[3] = sub_group_reduce_min(x); out[4] = sub_group_reduce_max(x);
  out[5] = sub_group_scan_inclusive_add(x); out[6] = sub_group_scan_exclusive_add(x);
  out[7] = sub_group_scan_exclusive_min(x); out[8] = sub_group_scan_exclusive_max(x);
  out[9] = sub_group_non_uniform_reduce_mul(x == 0 ? 1.0h : copysign(1.0h, x));
  out[10] = sub_group_clustered_reduce_add(x, 4);
  out[11] = sub_group_shuffle(x, 7 - get_sub_group_local_id()); out[12] = sub_group_shuffle_xor(x, 1);
  out[13] = sub_group_shuffle_down(x, 1); out[14] = sub_group_rotate(x, 3); out[15] = sub_group_clustered_rotate(x, 1, 4);
  out[16] = sub_group_non_uniform_broadcast(x, 5); out[17] = sub_group_broadcast_first(x);
  out[18] = sub_group_non_uniform_all_equal(x); out[19] = sub_group_non_uniform_all_equal(1.0h);
  out[20] = intel_sub_group_shuffle(x, 2); out[21] = intel_sub_group_shuffle_down(x, x + 1, 3);
  out[22] = sub_group_scan_inclusive_max(x); out[23] = sub_group_non_uniform_scan_inclusive_add(x);
})";
  if (!has_sub_group_size(8))
    GTEST_SKIP() << "no sub-groups of 8";
  auto out = run<uint16_t>(source, to_halves(numbers), 64 * 24, 64, 32);
  for (size_t i = 0; i != 64; ++i) {
    const double *group = &numbers[i / 8 * 8];
    const size_t lane = i % 8;
    double sum = 0, before = 0, low = INFINITY, high = -INFINITY, low_before = INFINITY,
           high_before = -INFINITY, product = 1, cluster = 0;
    for (size_t j = 0; j != 8; ++j) {
      if (j == lane)
        before = sum, low_before = low, high_before = high;
      sum += group[j];
      low = std::min(low, group[j]);
      high = std::max(high, group[j]);
      product *= group[j] < 0 ? -1 : 1;
      cluster += j / 4 == lane / 4 ? group[j] : 0;
    }
    const size_t in_cluster = lane / 4 * 4 + (lane + 1) % 4;
    const double down = lane + 1 < 8 ? group[lane + 1] : NAN; // undefined
    const double expected[] = {group[3],
                               -group[2],
                               sum,
                               low,
                               high,
                               before + numbers[i],
                               before,
                               low_before,
                               high_before,
                               product,
                               cluster,
                               group[7 - lane],
                               group[lane ^ 1],
                               down,
                               group[(lane + 3) % 8],
                               group[in_cluster],
                               group[5],
                               group[0],
                               0,
                               1,
                               group[2],
                               lane + 3 < 8 ? group[lane + 3] : group[lane + 3 - 8] + 1,
                               std::max(high_before, numbers[i]),
                               before + numbers[i]};
    for (size_t j = 0; j != 24; ++j)
      if (!std::isnan(expected[j])) {
        EXPECT_EQ(number_of_half(out[i * 24 + j]), expected[j])
            << "work-item " << i << ", result " << j;
      }
  }
}

TEST_F(HalfTypes, WorkGroupFunctions) {
  std::vector<double> numbers;
  for (int i = 0; i != 120; ++i)
    numbers.push_back((i * 7) % 11 - 5);
  const char *source = R"(
kernel void k(global const half *in, global half *out) {
  size_t i = get_global_id(0); half x = in[i]; out += i * 9;
  out[0] = work_group_broadcast(x, 17); out[1] = work_group_reduce_add(x); out[2] = work_group_reduce_min(x);
  out[3] = work_group_reduce_max(x); out[4] = work_group_scan_inclusive_add(x); out[5] = work_group_scan_exclusive_add(x);
  out[6] = work_group_scan_exclusive_min(x); out[7] = work_group_scan_inclusive_max(x);
  out[8] = work_group_reduce_mul(x < 0 ? -1.0h : 1.0h);
})";
  auto out = run<uint16_t>(source, to_halves(numbers), 120 * 9, 120, 40);
  for (size_t i = 0; i != 120; ++i) {
    const double *group = &numbers[i / 40 * 40];
    double sum = 0, before = 0, low = INFINITY, high = -INFINITY, low_before = INFINITY,
           product = 1, high_up_to = 0;
    for (size_t j = 0; j != 40; ++j) {
      if (j == i % 40)
        before = sum, low_before = low;
      sum += group[j];
      low = std::min(low, group[j]);
      high = std::max(high, group[j]);
      product *= group[j] < 0 ? -1 : 1;
      if (j == i % 40)
        high_up_to = high;
    }
    const double expected[] = {group[17], sum,        low,        high,   before + numbers[i],
                               before,    low_before, high_up_to, product};
    for (size_t j = 0; j != 9; ++j)
      EXPECT_EQ(number_of_half(out[i * 9 + j]), expected[j])
          << "work-item " << i << ", result " << j;
  }
}

// ---- arguments, printf ----

TEST_F(HalfTypes, ArgumentsByValue) {
  Program program = build(
      (enable + "kernel void k(half a, half4 b, global half *out) { vstore4(a * b, 0, out); }")
          .c_str(),
      "-cl-kernel-arg-info");
  Kernel kernel = make_kernel(program, "k");
  char name[16] = "";
  EXPECT_EQ(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, nullptr),
            CL_SUCCESS);
  EXPECT_STREQ(name, "half4");
  const std::vector<uint16_t> a = to_halves({3}), b = to_halves({1, -2, 0.5, 1000});
  Memory to = make_buffer(8);
  cl_mem out = to;
  EXPECT_EQ(clSetKernelArg(kernel, 0, 2, a.data()), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 0, 4, a.data()), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(kernel, 1, 8, b.data()), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof out, &out), CL_SUCCESS);
  const size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<uint16_t>(to, 4), to_halves({3, -6, 1.5, 3000}));
}

TEST_F(HalfTypes, Printf) {
  testing::internal::CaptureStdout();
  run<uint16_t>("kernel void k(global const half *in, global half *out) {\n"
                "printf(\"%g %.3f %e %v4hg %v2hf %v3ha\\n\", in[0], in[1], in[2], vload4(0, in), "
                "vload2(1, in), vload3(0, in)); }",
                to_halves({1.5, -2.25, 65504, 0x1p-24}), 1, 1);
  clFinish(queue_);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "1.5 -2.250 6.550400e+04 1.5,-2.25,65504,5.96046e-08 65504.000000,0.000000 "
            "0x1.8p+0,-0x1.2p+1,0x1.ffcp+15\n");
}

} // namespace
} // namespace lockstep::test
