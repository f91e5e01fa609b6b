// Compares float logarithms with the host's double functions: OpenCL C 7.4 allows 3 ulp.
#include "opencl_fixture.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace lockstep::test {
namespace {

struct Function {
  const char *name;
  double (*exact)(double);
};

double ulp_of(double exact) {
  return std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
}

class Logarithms : public DeviceTest {
protected:
  std::vector<cl_float> run(const std::string &body, const std::vector<cl_float> &in) {
    const std::string source = "kernel void k(global const float *in, global float *out) {\n"
                               "  size_t i = get_global_id(0);\n" +
                               body + "}\n";
    Program program = build(source.c_str(), "-cl-std=CL3.0");
    Kernel kernel = make_kernel(program, "k");
    Memory from = make_buffer(in.size() * sizeof(cl_float)),
           to = make_buffer(in.size() * sizeof(cl_float));
    write(from, in);
    cl_mem buffers[] = {from, to};
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]), CL_SUCCESS);
    const size_t global = in.size(), local = 64;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    return read<cl_float>(to, in.size());
  }
};

TEST_F(Logarithms, AreWithinThreeUlps) {
  std::vector<cl_float> in = {0.0f, -0.0f, INFINITY, -INFINITY, -1.0f, NAN, -0x1p-149f, 1.0f};
  const size_t ordinary = 8;
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 0x3fffu) // subnormals as well
    in.push_back(std::bit_cast<cl_float>(bits));
  // Numbers around 1, where the result is small, and around the bounds of the range reduction.
  for (const uint32_t middle : {0x3f800000u, 0x3f2aaaabu, 0x3faaaaabu})
    for (uint32_t bits = middle - 2000; bits < middle + 2000; ++bits)
      in.push_back(std::bit_cast<cl_float>(bits));
  in.resize((in.size() + 63) / 64 * 64, 2.0f);
  for (const Function &function :
       {Function{"log", std::log}, Function{"log2", std::log2}, Function{"log10", std::log10}}) {
    const std::string name = function.name;
    for (const std::string &body :
         {"out[i] = " + name + "(in[i]);\n",
          "float4 v = " + name +
              "((float4)(in[i], 1, in[i], 0));\n"
              "out[i] = v.y == 0 && isinf(v.w) && v.w < 0 ? v.z : 7;\n"}) {
      const auto out = run(body, in);
      for (size_t i : {0, 1})
        EXPECT_EQ(out[i], -std::numeric_limits<float>::infinity()) << name;
      EXPECT_EQ(out[2], std::numeric_limits<float>::infinity()) << name;
      for (size_t i : {3, 4, 5, 6})
        EXPECT_TRUE(std::isnan(out[i])) << name << " of " << in[i] << " is " << out[i];
      EXPECT_EQ(out[7], 0.0f) << name;
      for (size_t i = ordinary; i != in.size(); ++i) {
        const double exact = function.exact(double(in[i]));
        ASSERT_LE(std::fabs(double(out[i]) - exact), 3 * ulp_of(exact)) << name << " of " << in[i];
      }
    }
  }
}

// Programs compute the number of digits with logarithms.
TEST_F(Logarithms, OfPowersAreWhole) {
  std::vector<cl_float> tens(64, 1.0f), twos(320);
  for (size_t i = 1; i <= 10; ++i) // the powers that a float represents exactly
    tens[i] = 10 * tens[i - 1];
  for (int i = 0; i < 320; ++i)
    twos[size_t(i)] = std::ldexp(1.0f, std::min(i - 149, 127));
  const auto of_tens = run("out[i] = log10(in[i]);\n", tens),
             of_twos = run("out[i] = log2(in[i]);\n", twos);
  for (size_t i = 0; i <= 10; ++i)
    EXPECT_EQ(of_tens[i], float(i));
  for (int i = 0; i < 320; ++i)
    EXPECT_EQ(of_twos[size_t(i)], float(std::min(i - 149, 127)));
}

} // namespace
} // namespace lockstep::test
