// Tests approximate pow and powr: OpenCL C derives them from exp2 and log2, with an error of at
// most 8192 ulp. Tests approximate division: by zeros and infinities, too.
#include "opencl_fixture.h"

#include <cmath>
#include <limits>
#include <string>

namespace lockstep::test {
namespace {

class RelaxedMaths : public DeviceTest {
protected:
  std::vector<cl_float> results(const char *options, const std::vector<cl_float> &x,
                                const std::vector<cl_float> &y, const char *function) {
    const std::string source =
        std::string("kernel void k(global const float4 *x, global const float4 *y,"
                    " global float4 *to) {\n"
                    "  const size_t i = get_global_id(0);\n"
                    "  float4 both = ") +
        function +
        "(x[i], y[i]);\n"
        "  both.w = " +
        function +
        "(x[i].w, y[i].w);\n" // scalar as in a vector
        "  to[i] = both;\n}";
    Program program = build(source.c_str(), options);
    Kernel kernel = make_kernel(program, "k");
    const size_t bytes = x.size() * sizeof(cl_float), items = x.size() / 4;
    Memory xs = make_buffer(bytes, CL_MEM_COPY_HOST_PTR, const_cast<cl_float *>(x.data())),
           ys = make_buffer(bytes, CL_MEM_COPY_HOST_PTR, const_cast<cl_float *>(y.data())),
           to = make_buffer(bytes);
    cl_mem memories[3] = {xs, ys, to};
    for (cl_uint i = 0; i < 3; ++i)
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &memories[i]), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    return read<cl_float>(to, x.size());
  }

  static void expect_near(float got, double exact, double x, double y) {
    EXPECT_NEAR(got, exact, 8192 * std::abs(exact) * 0x1p-24) << x << " to the " << y;
  }
};

TEST_F(RelaxedMaths, PowersHaveTheSignOfOddOnes) {
  std::vector<cl_float> x, y;
  for (float base : {-7.5f, -2.0f, -1.0f, -0.25f, 0.25f, 1.0f, 3.0f, 1e6f})
    for (float exponent : {-5.0f, -4.0f, -1.0f, 0.0f, 1.0f, 2.0f, 3.0f, 6.0f}) {
      x.push_back(base);
      y.push_back(exponent);
    }
  for (const char *options : {"-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations", ""}) {
    const auto got = results(options, x, y, "pow");
    for (size_t i = 0; i < x.size(); ++i)
      expect_near(got[i], std::pow(double(x[i]), double(y[i])), x[i], y[i]);
  }
}

TEST_F(RelaxedMaths, PowersOfZeroAreZeroOrOne) {
  const std::vector<cl_float> x = {0, 0, 0, 5}, y = {0.5f, 3, 0, 0};
  EXPECT_EQ(results("-cl-fast-relaxed-math", x, y, "pow"), (std::vector<cl_float>{0, 0, 1, 1}));
}

TEST_F(RelaxedMaths, PowersOfPositiveNumbers) {
  std::vector<cl_float> x, y;
  for (int i = 0; i < 4096; ++i) {
    x.push_back(0.01f + float(i) * 0.37f);
    y.push_back(float(i % 97) * 0.11f - 5.0f);
  }
  for (const char *function : {"pow", "powr"}) {
    const auto got = results("-cl-fast-relaxed-math", x, y, function);
    for (size_t i = 0; i < x.size(); ++i)
      expect_near(got[i], std::pow(double(x[i]), double(y[i])), x[i], y[i]);
  }
}

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST_F(RelaxedMaths, QuotientsByZerosAndInfinities) {
  const std::vector<cl_float> by = {0, -0.0f, infinity, -infinity, 0x1p-130f, 0x1p127f, 3, -7};
  std::vector<cl_float> x, y;
  for (float dividend : {1.0f, -2.5f, 0.5f})
    for (int copy = 0; copy < 8; ++copy) // several vectors
      for (float divisor : by) {
        x.push_back(dividend);
        y.push_back(divisor);
      }
  for (const char *options : {"-Dquotient(x,y)=((x)/(y)) -cl-unsafe-math-optimizations",
                              "-Dquotient(x,y)=((x)/(y)) -cl-fast-relaxed-math"}) {
    const auto got = results(options, x, y, "quotient");
    for (size_t i = 0; i < x.size(); ++i)
      if (const double exact = double(x[i]) / double(y[i]); std::abs(exact) > 0x1p127)
        EXPECT_EQ(got[i], exact > 0 ? infinity : -infinity) << x[i] << " by " << y[i];
      else
        EXPECT_NEAR(got[i], exact, 3 * std::abs(exact) * 0x1p-24 + 0x1p-126)
            << x[i] << " by " << y[i];
  }
}

// The logistic function, as neural networks have it: the exponential overflows.
TEST_F(RelaxedMaths, LogisticFunctionOfLargeNumbers) {
  std::vector<cl_float> x, y;
  for (int i = -512; i < 512; ++i) {
    x.push_back(float(i) / 3);
    y.push_back(1);
  }
  const auto got =
      results("-Dlogistic(x,y)=((y)/((y)+exp(-(x)))) -cl-finite-math-only -cl-fast-relaxed-math", x,
              y, "logistic");
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(got[i], 1 / (1 + std::exp(-double(x[i]))), 1e-6) << x[i];
}

} // namespace
} // namespace lockstep::test
