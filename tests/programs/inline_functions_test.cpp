// Tests functions of all linkages, with and without `inline`, inlined and out of line.
// LOCKSTEP_INLINE_LIMIT=0 (CMakeLists.txt) keeps all of them out of line, in all forms.
#include "opencl_fixture.h"

#include <array>

using namespace lockstep::test;

namespace {

constexpr std::array specifiers = {"inline",
                                   "static inline",
                                   "extern inline",
                                   "",
                                   "static",
                                   "__attribute__((noinline))",
                                   "inline __attribute__((noinline))",
                                   "extern inline __attribute__((noinline))",
                                   "static inline __attribute__((noinline))",
                                   "inline __attribute__((always_inline))",
                                   "__attribute__((weak))",
                                   "inline __attribute__((overloadable))",
                                   "inline __attribute__((overloadable, noinline))"};

// `small` is inlined into functions that are out of line.
std::string functions(const std::string &specifier, const std::string &number) {
  return specifier + " uint small_" + number + "(uint x) { return x ^ " + number + "u; }\n" +
         specifier + " uint mix_" + number + R"((global const uint *table, uint x, uint n) {
  for (uint i = 0; i < n; ++i) {
    x = (x ^ table[x & 63]) * 0x9e3779b1u;
    x ^= x >> 15;
    if (x & 1) x += small_)" +
         number + "(i);\n  }\n  return x;\n}\n";
}

cl_uint mix(const std::vector<cl_uint> &table, cl_uint x, cl_uint n, cl_uint number) {
  for (cl_uint i = 0; i != n; ++i) {
    x = (x ^ table[x % 64]) * 0x9e3779b1U;
    x ^= x >> 15;
    x += x % 2 != 0 ? i ^ number : 0;
  }
  return x;
}

constexpr size_t items = 96, group = 32;

class InlineFunctions : public DeviceTest {
protected:
  std::vector<cl_uint> run(cl_program program, const char *name,
                           const std::vector<cl_uint> &table) {
    Kernel kernel = make_kernel(program, name);
    Memory in = make_buffer(table.size() * 4), out = make_buffer(items * 4);
    write(in, table);
    const cl_mem buffers[] = {in, out};
    for (cl_uint i = 0; i != 2; ++i)
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr),
        CL_SUCCESS);
    return read<cl_uint>(out, items);
  }

  Program from_source(const char *source) {
    cl_int status = 1;
    Program program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return program;
  }

  Program compile(const char *source, const char *options) {
    Program program = from_source(source);
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, options, 0, nullptr, nullptr, nullptr, nullptr),
              CL_SUCCESS);
    return program;
  }
};

std::vector<cl_uint> make_table() {
  std::vector<cl_uint> table(64);
  for (cl_uint i = 0; i != 64; ++i)
    table[i] = i * 2654435769U;
  return table;
}

TEST_F(InlineFunctions, OfAllLinkagesAreThere) {
  std::string source, calls;
  for (size_t i = 0; i != specifiers.size(); ++i) {
    const std::string number = std::to_string(i);
    source += functions(specifiers[i], number);
    calls += "  if (i & 3) r += mix_" + number + "(table, r, (i & 7) + " + number +
             ");\n  r ^= mix_" + number + "(table, i * 7, 5);\n";
  }
  source += "kernel void work(global const uint *table, global uint *out) {\n"
            "  uint i = get_global_id(0), r = i;\n" +
            calls + "  out[i] = r;\n}\n";
  const std::vector<cl_uint> table = make_table();
  const std::vector<cl_uint> got = run(build(source.c_str()), "work", table);
  for (cl_uint i = 0; i != items; ++i) {
    cl_uint r = i;
    for (cl_uint number = 0; number != specifiers.size(); ++number) {
      if (i % 4 != 0)
        r += mix(table, r, i % 8 + number, number);
      r ^= mix(table, i * 7, 5, number);
    }
    ASSERT_EQ(got[i], r) << i;
  }
}

// Each program uses the definition that it was compiled with.
TEST_F(InlineFunctions, BelongToTheirProgram) {
  const char *source = R"(
    inline uint change(uint x) { for (uint i = 0; i < 5; ++i) x = x * FACTOR + i; return x; }
    inline __attribute__((noinline)) uint again(uint x) { return change(x) ^ FACTOR; }
    kernel void NAME(global const uint *table, global uint *out) {
      uint i = get_global_id(0);
      out[i] = again(i) + (i & 2 ? change(table[i & 63]) : 0);
    })";
  Program five = compile(source, "-DNAME=five -DFACTOR=5"),
          nine = compile(source, "-DNAME=nine -DFACTOR=9");
  cl_program inputs[] = {five, nine};
  cl_int status = 1;
  Program linked(
      clLinkProgram(context_, 0, nullptr, nullptr, 2, inputs, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  const std::vector<cl_uint> table = make_table();
  for (auto [name, factor] : {std::pair("five", 5U), std::pair("nine", 9U)}) {
    const std::vector<cl_uint> got = run(linked, name, table);
    auto change = [factor = factor](cl_uint x) {
      for (cl_uint i = 0; i != 5; ++i)
        x = x * factor + i;
      return x;
    };
    for (cl_uint i = 0; i != items; ++i)
      ASSERT_EQ(got[i], (change(i) ^ factor) + (i & 2 ? change(table[i & 63]) : 0)) << name << i;
  }
}

// A declaration with `extern` makes the definition external, so other programs can use it (C99,
// 6.7.4).
TEST_F(InlineFunctions, AreExternalWhereADeclarationSaysSo) {
  Program caller = compile("uint twice(uint x);\n"
                           "kernel void work(global const uint *table, global uint *out) {\n"
                           "  out[get_global_id(0)] = twice(table[get_global_id(0) & 63]);\n}",
                           "");
  Program called = compile("inline uint twice(uint x) { return x * 2; }\n"
                           "extern uint twice(uint x);",
                           "");
  cl_program inputs[] = {caller, called};
  cl_int status = 1;
  Program linked(
      clLinkProgram(context_, 0, nullptr, nullptr, 2, inputs, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  const std::vector<cl_uint> table = make_table(), got = run(linked, "work", table);
  for (size_t i = 0; i != items; ++i)
    ASSERT_EQ(got[i], table[i % 64] * 2) << i;
}

// No function of the program calls the kernel; the host launches it.
TEST_F(InlineFunctions, AreKernels) {
  Program program = build("inline kernel void work(global const uint *table, global uint *out) {\n"
                          "  out[get_global_id(0)] = table[get_global_id(0) & 63] + 1;\n}");
  const std::vector<cl_uint> table = make_table(), got = run(program, "work", table);
  for (size_t i = 0; i != items; ++i)
    ASSERT_EQ(got[i], table[i % 64] + 1) << i;
}

TEST_F(InlineFunctions, MayNotCallThemselves) {
  Program program = from_source("inline __attribute__((noinline)) uint again(uint x) { return x < "
                                "2 ? 1 : x * again(x - 1); }\n"
                                "kernel void work(global uint *out) { *out = again(*out); }");
  EXPECT_EQ(clBuildProgram(program, 1, &device_, nullptr, nullptr, nullptr),
            CL_BUILD_PROGRAM_FAILURE);
  std::string log(1 << 12, '\0');
  EXPECT_EQ(clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                                  nullptr),
            CL_SUCCESS);
  EXPECT_NE(log.find("the function again calls itself"), std::string::npos) << log.c_str();
}

} // namespace
