// Tests convert_T_sat from float and double in all roundings (OpenCL C 6.4.3.3). Inputs are at the
// bounds of each type and far beyond them, and NaN, which becomes 0.
#include "opencl_fixture.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace lockstep::test {
namespace {

constexpr const char *roundings[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

template <class F> F rounded(F number, size_t rounding) {
  switch (rounding) {
  case 1:
    return std::nearbyint(number);
  case 3:
    return std::ceil(number);
  case 4:
    return std::floor(number);
  default:
    return std::trunc(number);
  }
}

template <class T, class F> T saturated(F number, size_t rounding) {
  const F whole = rounded(number, rounding);
  if (std::isnan(whole))
    return 0;
  if (whole >= std::ldexp(F(1), std::numeric_limits<T>::digits))
    return std::numeric_limits<T>::max();
  if (whole < F(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return T(whole);
}

template <class F> std::vector<F> numbers() {
  std::vector<F> result = {F(NAN),
                           -F(NAN),
                           F(INFINITY),
                           -F(INFINITY),
                           std::numeric_limits<F>::max(),
                           -std::numeric_limits<F>::max(),
                           F(0),
                           F(-0.0),
                           F(0.5),
                           F(-0.5),
                           F(1.5),
                           F(2.5),
                           F(-1.5),
                           std::numeric_limits<F>::denorm_min()};
  std::mt19937 random(4);
  for (int exponent : {7, 8, 15, 16, 31, 32, 63, 64})
    for (F limit : {std::ldexp(F(1), exponent), -std::ldexp(F(1), exponent)})
      for (F distance : {F(0), F(0.25), F(0.5), F(0.75), F(1), F(1.5)})
        for (F one : {limit + distance, limit - distance, std::nextafter(limit, F(0))})
          result.push_back(one);
  for (int i = 0; i != 300; ++i)
    result.push_back(std::ldexp(F(int(random() % 4096)) - 2048, i % 70 - 8));
  while (result.size() % 16 != 0)
    result.push_back(F(NAN));
  return result;
}

class SaturatedConversions : public DeviceTest {
protected:
  // Computes five roundings of a scalar, and of vectors of 3 and 4.
  template <class T, class F> void check(const std::string &type, const std::string &from) {
    const std::vector<F> in = numbers<F>();
    std::string body;
    for (size_t i = 0; i != 5; ++i) {
      const std::string to = "out[i * 15 + " + std::to_string(i),
                        how = std::string("_sat") + roundings[i];
      body += to + "] = convert_" + type + how + "(in[i]);\n";
      body += to + " + 5] = convert_" + type + "3" + how + "((" + from + "3)(0, in[i], 1)).y;\n";
      body += to + " + 10] = convert_" + type + "4" + how + "(vload4(i / 4, in))[i % 4];\n";
    }
    const std::string source = "kernel void k(global const " + from + " *in, global " + type +
                               " *out) {\nsize_t i = get_global_id(0);\n" + body + "}";
    Program program = build(source.c_str());
    Kernel kernel = make_kernel(program, "k");
    Memory from_buffer = make_buffer(in.size() * sizeof(F)),
           to_buffer = make_buffer(in.size() * 15 * sizeof(T));
    write(from_buffer, in);
    cl_mem buffers[] = {from_buffer, to_buffer};
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]), CL_SUCCESS);
    const size_t items = in.size();
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    const auto out = read<T>(to_buffer, items * 15);
    for (size_t i = 0; i != out.size(); ++i)
      ASSERT_EQ(out[i], (saturated<T>(in[i / 15], i % 5)))
          << type << " from " << from << " " << in[i / 15] << ", result " << i % 15;
  }

  template <class T> void check_type(const std::string &type) {
    check<T, float>(type, "float");
    check<T, double>(type, "double");
  }
};

TEST_F(SaturatedConversions, OfEveryType) {
  check_type<cl_char>("char");
  check_type<cl_uchar>("uchar");
  check_type<cl_short>("short");
  check_type<cl_ushort>("ushort");
  check_type<cl_int>("int");
  check_type<cl_uint>("uint");
  check_type<cl_long>("long");
  check_type<cl_ulong>("ulong");
}

} // namespace
} // namespace lockstep::test
