// Tests programs from SPIR-V: clCreateProgramWithIL, specialization constants, compiling and linking
// (OpenCL 3.0 API sections 5.8.1 to 5.8.5).
#include "../programs/extension_functions.h"
#include "../programs/opencl_fixture.h"
#include "spirv_modules.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

using namespace lockstep::test;

namespace {

class IlPrograms : public DeviceTest {
protected:
  Program from_il(const std::string &words) {
    cl_int status = 1;
    Program program(clCreateProgramWithIL(context_, words.data(), words.size(), &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return program;
  }
  Program from_il_file(const std::string &name) { return from_il(spirv_module(name)); }

  std::string log(cl_program program) {
    size_t size = 0;
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string text(size, '\0');
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr);
    return text;
  }

  void build(cl_program program, const char *options = "") {
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS)
        << log(program);
  }

  Kernel kernel(cl_program program, const char *name) {
    cl_int status = 1;
    Kernel made(clCreateKernel(program, name, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }

  void run(cl_kernel kernel, size_t items) {
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
  }

  // Runs `add` of add.spvasm.
  void expect_adds(cl_program program) {
    std::vector<cl_int> a(100), b(100), expected(100);
    for (int i = 0; i < 100; ++i)
      expected[i] = (a[i] = 3 * i) + (b[i] = 7 - i);
    Memory buffers[] = {make_buffer(400, CL_MEM_COPY_HOST_PTR, a.data()),
                        make_buffer(400, CL_MEM_COPY_HOST_PTR, b.data()), make_buffer(400)};
    Kernel add = kernel(program, "add");
    for (cl_uint i = 0; i < 3; ++i) {
      cl_mem buffer = buffers[i];
      EXPECT_EQ(clSetKernelArg(add, i, sizeof buffer, &buffer), CL_SUCCESS);
    }
    run(add, 100);
    EXPECT_EQ(read<cl_int>(buffers[2], 100), expected);
  }

  using Values = std::vector<cl_long>;
  // Runs `values` of constants.spvasm.
  Values values(cl_program program) {
    build(program);
    Memory out = make_buffer(7 * sizeof(cl_long));
    Kernel get = kernel(program, "values");
    cl_mem buffer = out;
    EXPECT_EQ(clSetKernelArg(get, 0, sizeof buffer, &buffer), CL_SUCCESS);
    run(get, 1);
    return read<cl_long>(out, 7);
  }

  // Runs a kernel of one argument on one number.
  cl_int result(cl_program program, const char *name, cl_int number) {
    Memory memory = make_buffer(sizeof number, CL_MEM_COPY_HOST_PTR, &number);
    Kernel use = kernel(program, name);
    cl_mem buffer = memory;
    EXPECT_EQ(clSetKernelArg(use, 0, sizeof buffer, &buffer), CL_SUCCESS);
    run(use, 1);
    return read<cl_int>(memory, 1)[0];
  }

  template <class T> cl_int set(cl_program program, cl_uint id, T value) {
    return clSetProgramSpecializationConstant(program, id, sizeof value, &value);
  }

  Program compiled(Program program) {
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr),
              CL_SUCCESS)
        << log(program);
    return program;
  }

  Program from_source(const char *source) {
    cl_int status = 1;
    return Program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
  }

  Program linked(std::vector<cl_program> programs, const char *options = "") {
    cl_int status = 1;
    Program program(clLinkProgram(context_, 0, nullptr, options, cl_uint(programs.size()),
                                  programs.data(), nullptr, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS) << log(program);
    return program;
  }
};

TEST_F(IlPrograms, TheDeviceNamesTheVersions) {
  char text[256] = "";
  ASSERT_EQ(clGetDeviceInfo(device_, CL_DEVICE_IL_VERSION, sizeof text, text, nullptr), CL_SUCCESS);
  const std::string names = " " + std::string(text) + " ";
  cl_name_version versions[16];
  size_t size = 0;
  ASSERT_EQ(clGetDeviceInfo(device_, CL_DEVICE_ILS_WITH_VERSION, sizeof versions, versions, &size),
            CL_SUCCESS);
  ASSERT_EQ(size, 7 * sizeof(cl_name_version));
  for (cl_uint minor = 0; minor < 7; ++minor) {
    EXPECT_NE(names.find(" SPIR-V_1." + std::to_string(minor) + " "), std::string::npos) << text;
    EXPECT_STREQ(versions[minor].name, "SPIR-V");
    EXPECT_EQ(versions[minor].version, CL_MAKE_VERSION(1, minor, 0));
  }
}

TEST_F(IlPrograms, TheDeviceNamesWhatModulesMayUse) {
  auto names = [&](cl_device_info query) {
    const char *texts[256];
    size_t size = 0;
    EXPECT_EQ(clGetDeviceInfo(device_, query, sizeof texts, texts, &size), CL_SUCCESS);
    return std::set<std::string>(texts, texts + size / sizeof(char *));
  };
  constexpr cl_device_info sets = 0x12B9, extensions = 0x12BA, capabilities = 0x12BB;
  EXPECT_TRUE(names(sets).contains("OpenCL.std"));
  for (const char *name : {"SPV_KHR_bit_instructions", "SPV_KHR_integer_dot_product",
                           "SPV_KHR_subgroup_rotate", "SPV_KHR_linkonce_odr"})
    EXPECT_TRUE(names(extensions).contains(name)) << name;
  cl_uint numbers[256];
  size_t size = 0;
  ASSERT_EQ(clGetDeviceInfo(device_, capabilities, sizeof numbers, numbers, &size), CL_SUCCESS);
  const std::set<cl_uint> known(numbers, numbers + size / sizeof(cl_uint));
  // Addresses, Linkage, Kernel, Vector16, Float16Buffer, Float64, Int64, DeviceEnqueue,
  // GroupNonUniformShuffle, DotProduct
  for (cl_uint number : {4, 5, 6, 7, 8, 10, 11, 19, 65, 6019})
    EXPECT_TRUE(known.contains(number)) << number;
  EXPECT_FALSE(known.contains(1)) << "Shader";
}

TEST_F(IlPrograms, RunsAKernel) {
  Program program = from_il_file("add");
  build(program);
  expect_adds(program);
}

TEST_F(IlPrograms, TakesBothByteOrders) {
  std::string words = spirv_module("add");
  for (size_t i = 0; i + 4 <= words.size(); i += 4)
    std::reverse(words.begin() + i, words.begin() + i + 4);
  Program program = from_il(words);
  build(program);
  expect_adds(program);
}

TEST_F(IlPrograms, AreBuiltFromABinaryToo) {
  Program program = from_il_file("add");
  build(program);
  size_t size = 0;
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
            CL_SUCCESS);
  std::vector<unsigned char> binary(size);
  unsigned char *place = binary.data();
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr),
            CL_SUCCESS);
  const unsigned char *bytes = place;
  cl_int status = 1;
  Program copy(clCreateProgramWithBinary(context_, 1, &device_, &size, &bytes, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  build(copy);
  expect_adds(copy);
}

TEST_F(IlPrograms, Queries) {
  const std::string words = spirv_module("add");
  Program program = from_il(words);
  size_t size = 0;
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_IL, 0, nullptr, &size), CL_SUCCESS);
  ASSERT_EQ(size, words.size());
  std::string copy(size, '\0');
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_IL, size, copy.data(), nullptr), CL_SUCCESS);
  EXPECT_EQ(copy, words);
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(size, 1u);
  build(program, "-cl-kernel-arg-info");
  Kernel add = kernel(program, "add");
  char text[64] = "none";
  EXPECT_EQ(clGetKernelArgInfo(add, 0, CL_KERNEL_ARG_NAME, sizeof text, text, nullptr),
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  EXPECT_EQ(clGetKernelInfo(add, CL_KERNEL_ATTRIBUTES, sizeof text, text, nullptr), CL_SUCCESS);
  EXPECT_STREQ(text, "");
}

TEST_F(IlPrograms, OptionsOfThePreprocessorAndTheLanguageHaveNoEffect) {
  Program program = from_il_file("add");
  build(program, "-DNAME=1 -I /nowhere -w -Werror -cl-std=CL3.1 -cl-fast-relaxed-math "
                 "-cl-opt-disable -g");
  expect_adds(program);
}

TEST_F(IlPrograms, HeadersAreIgnored) {
  Program program = from_il_file("add");
  Program header = from_source("");
  cl_program headers[] = {header};
  const char *names[] = {"a.h"};
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, "", 1, headers, names, nullptr, nullptr),
            CL_SUCCESS);
  expect_adds(linked({program}));
}

// ---- specialization constants

constexpr cl_long billions = 8'000'000'000;

TEST_F(IlPrograms, SpecializationConstantsHaveDefaults) {
  Program program = from_il_file("constants");
  EXPECT_EQ(values(program), Values({1, 7, billions, 2, 9, 14, billions}));
}

TEST_F(IlPrograms, SpecializationConstantsAreSet) {
  Program program = from_il_file("constants");
  EXPECT_EQ(set(program, 1, cl_uchar(0)), CL_SUCCESS);
  EXPECT_EQ(set(program, 2, cl_int(100)), CL_SUCCESS);
  EXPECT_EQ(set(program, 3, cl_long(5)), CL_SUCCESS);
  EXPECT_EQ(set(program, 4, cl_float(17.25f)), CL_SUCCESS);
  EXPECT_EQ(set(program, 5, cl_uchar(200)), CL_SUCCESS);
  EXPECT_EQ(values(program), Values({0, 100, 5, 17, 200, 200, 5}));
}

// The last value counts, and holds for later builds. Every byte but 0 is true.
TEST_F(IlPrograms, SpecializationConstantsHoldFromTheNextBuild) {
  Program program = from_il_file("constants");
  EXPECT_EQ(set(program, 2, cl_int(1)), CL_SUCCESS);
  EXPECT_EQ(set(program, 2, cl_int(3)), CL_SUCCESS);
  EXPECT_EQ(values(program), Values({1, 3, billions, 2, 9, 6, billions}));
  EXPECT_EQ(set(program, 1, cl_uchar(0)), CL_SUCCESS);
  EXPECT_EQ(values(program), Values({0, 3, billions, 2, 9, 6, billions}));
  EXPECT_EQ(set(program, 1, cl_uchar(128)), CL_SUCCESS);
  EXPECT_EQ(values(program), Values({1, 3, billions, 2, 9, 6, billions}));
}

TEST_F(IlPrograms, SpecializationConstantsBelongToTheProgram) {
  Program one = from_il_file("constants"), other = from_il_file("constants");
  EXPECT_EQ(set(one, 2, cl_int(11)), CL_SUCCESS);
  EXPECT_EQ(values(one)[1], 11);
  EXPECT_EQ(values(other)[1], 7);
}

// ---- compiling and linking

constexpr const char *helper = "int helper(int x) { return x + 5; }";

TEST_F(IlPrograms, LinksWithOpenClC) {
  Program il = compiled(from_il_file("exported")), c = compiled(from_source(helper));
  EXPECT_EQ(result(linked({il, c}), "use", 10), 30);
}

TEST_F(IlPrograms, ItsFunctionsAreCalledFromOpenClC) {
  Program il = compiled(from_il_file("exported"));
  Program c = compiled(from_source("int helper(int x) { return x + 5; }"
                                   "int twice(int x);"
                                   "kernel void k(global int *x) { *x = twice(*x) + 1; }"));
  EXPECT_EQ(result(linked({c, il}), "k", 10), 31);
}

TEST_F(IlPrograms, LinksIntoALibrary) {
  Program il = compiled(from_il_file("exported")), c = compiled(from_source(helper));
  Program library = linked({il, c}, "-create-library");
  Program user = compiled(from_source("int twice(int x);"
                                      "kernel void k(global int *x) { *x = twice(*x); }"));
  EXPECT_EQ(result(linked({user, library}), "k", 1), 12);
}

TEST_F(IlPrograms, CompilesWithSpecializationConstants) {
  Program program = from_il_file("constants");
  EXPECT_EQ(set(program, 2, cl_int(41)), CL_SUCCESS);
  Program whole = linked({compiled(std::move(program))});
  Memory out = make_buffer(7 * sizeof(cl_long));
  Kernel get = kernel(whole, "values");
  cl_mem buffer = out;
  EXPECT_EQ(clSetKernelArg(get, 0, sizeof buffer, &buffer), CL_SUCCESS);
  run(get, 1);
  EXPECT_EQ(read<cl_long>(out, 7)[1], 41);
}

// ---- -g: enqueue_kernel says why it fails, as in OpenCL C

TEST_F(IlPrograms, EnqueuesSayWhyTheyFailWithG) {
  const cl_queue_properties properties[] = {
      CL_QUEUE_PROPERTIES,
      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
  cl_int status = 1;
  Queue on_device(clCreateCommandQueueWithProperties(context_, device_, properties, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  constexpr cl_uint enqueue_failure = cl_uint(-101), invalid_range = cl_uint(-160);
  for (const char *options : {"", "-g"}) {
    Program program = from_il_file("enqueues");
    build(program, options);
    const cl_uint zeros[3] = {};
    Memory out = make_buffer(sizeof zeros, CL_MEM_COPY_HOST_PTR, const_cast<cl_uint *>(zeros));
    Kernel enqueue = kernel(program, "enqueue");
    cl_mem buffer = out;
    EXPECT_EQ(clSetKernelArg(enqueue, 0, sizeof buffer, &buffer), CL_SUCCESS);
    run(enqueue, 1);
    const cl_uint expected = *options ? invalid_range : enqueue_failure;
    EXPECT_EQ(read<cl_uint>(out, 3), (std::vector<cl_uint>{expected, 0, 64})) << options;
  }
}

// ---- structures as values

int steps_of_julia(float re, float im, float c_re, float c_im) {
  int count = 0;
  while (re * re + im * im < 4 && count < 50) {
    const float re_re = re * re, im_im = im * im, re_im = re * im;
    re = re_re - im_im + c_re;
    im = 2 * re_im + c_im;
    ++count;
  }
  return count;
}

TEST_F(IlPrograms, StructuresAreValues) {
  constexpr size_t width = 32, height = 16;
  Program program = from_il_file("structures");
  build(program);
  const cl_image_format format{CL_R, CL_UNSIGNED_INT32};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width;
  description.image_height = height;
  cl_int status = 1;
  Memory image(clCreateImage(context_, CL_MEM_READ_WRITE, &format, &description, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_float re = -0.75f, im = 0.125f;
  Kernel julia = kernel(program, "julia");
  cl_mem argument = image;
  clSetKernelArg(julia, 0, sizeof argument, &argument);
  clSetKernelArg(julia, 1, sizeof re, &re);
  clSetKernelArg(julia, 2, sizeof im, &im);
  const size_t origin[3] = {}, region[3] = {width, height, 1};
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, julia, 2, nullptr, region, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  std::vector<cl_uint> steps(width * height), expected;
  ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, steps.data(), 0,
                               nullptr, nullptr),
            CL_SUCCESS);
  for (size_t i = 0; i < width * height; ++i)
    expected.push_back(cl_uint(
        steps_of_julia(0.0625f * float(i % width) - 1, 0.125f * float(i / width) - 1, re, im)));
  EXPECT_EQ(steps, expected);
}

// ---- a required number of sub-groups

TEST_F(IlPrograms, RequiresANumberOfSubGroups) {
  Program program = from_il_file("sub_groups");
  build(program);
  Kernel four = kernel(program, "four");
  size_t count = 0;
  EXPECT_EQ(clGetKernelSubGroupInfo(four, device_, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, nullptr,
                                    sizeof count, &count, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(count, 4u);
  size_t local = 0;
  EXPECT_EQ(clGetKernelSubGroupInfo(four, device_, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                    sizeof count, &count, sizeof local, &local, nullptr),
            CL_SUCCESS);
  const size_t global = 4 * local, half = local / 2;
  auto enqueue = [&](const size_t *size) {
    return clEnqueueNDRangeKernel(queue_, four, 1, nullptr, &global, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(enqueue(&local), CL_SUCCESS);
  EXPECT_EQ(enqueue(nullptr), CL_SUCCESS);
  EXPECT_EQ(enqueue(&half), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

} // namespace
