// Tests programs (OpenCL 3.0 API section 5.8): build, compile with embedded headers, link,
// libraries, binaries, callbacks.
#include "opencl_fixture.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace lockstep::test;

namespace {

class ProgramTest : public DeviceTest {
protected:
  Program from_source(const char *source) {
    cl_int status = 1;
    Program program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return program;
  }

  Program compile(const char *source, const char *options = "") {
    Program program = from_source(source);
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, options, 0, nullptr, nullptr, nullptr, nullptr),
              CL_SUCCESS)
        << build_text(program, CL_PROGRAM_BUILD_LOG);
    return program;
  }

  Program link(std::vector<cl_program> inputs, const char *options = "") {
    cl_int status = 1;
    Program program(clLinkProgram(context_, 0, nullptr, options,
                                  static_cast<cl_uint>(inputs.size()), inputs.data(), nullptr,
                                  nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS) << build_text(program, CL_PROGRAM_BUILD_LOG);
    return program;
  }

  Program load(const std::vector<unsigned char> &binary) {
    const unsigned char *place = binary.data();
    const size_t size = binary.size();
    cl_int status = 1, binary_status = 1;
    Program program(
        clCreateProgramWithBinary(context_, 1, &device_, &size, &place, &binary_status, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(binary_status, CL_SUCCESS);
    return program;
  }

  std::vector<unsigned char> binary(cl_program program) {
    size_t size = 0;
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
              CL_SUCCESS);
    std::vector<unsigned char> bytes(size);
    unsigned char *place = bytes.data();
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr),
              CL_SUCCESS);
    return bytes;
  }

  std::string text(cl_program program, cl_program_info name) {
    size_t size = 0;
    EXPECT_EQ(clGetProgramInfo(program, name, 0, nullptr, &size), CL_SUCCESS);
    std::string value(size, '\0');
    EXPECT_EQ(clGetProgramInfo(program, name, size, value.data(), nullptr), CL_SUCCESS);
    return value.c_str();
  }

  std::string build_text(cl_program program, cl_program_build_info name) {
    size_t size = 0;
    EXPECT_EQ(clGetProgramBuildInfo(program, device_, name, 0, nullptr, &size), CL_SUCCESS);
    std::string value(size, '\0');
    EXPECT_EQ(clGetProgramBuildInfo(program, device_, name, size, value.data(), nullptr),
              CL_SUCCESS);
    return value.c_str();
  }

  template <class T> T build_info(cl_program program, cl_program_build_info name) {
    T value{};
    EXPECT_EQ(clGetProgramBuildInfo(program, device_, name, sizeof value, &value, nullptr),
              CL_SUCCESS);
    return value;
  }

  cl_program_binary_type type(cl_program program) {
    return build_info<cl_program_binary_type>(program, CL_PROGRAM_BINARY_TYPE);
  }

  // Runs kernel `name`, which has one global int pointer argument, with one work-item.
  int run(cl_program program, const char *name) {
    Kernel kernel = make_kernel(program, name);
    Memory buffer = make_buffer(sizeof(int));
    write<int>(buffer, {-1});
    cl_mem memory = buffer;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    size_t size = 1;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    return read<int>(buffer, 1)[0];
  }
};

TEST_F(ProgramTest, SourceIsJoined) {
  const char *strings[] = {"kernel void k(", "global int *a)xxx", " { *a = 7; }"};
  const size_t lengths[] = {0, 14, 0};
  cl_int status = 1;
  Program program(clCreateProgramWithSource(context_, 3, strings, lengths, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(text(program, CL_PROGRAM_SOURCE), "kernel void k(global int *a) { *a = 7; }");
  EXPECT_EQ(build_info<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_NONE);
  EXPECT_EQ(type(program), cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_NONE});
  EXPECT_EQ(binary(program).size(), 0u);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(run(program, "k"), 7);
}

TEST_F(ProgramTest, BuildStateIsReported) {
  Program program = build("kernel void first(global int *a) { *a = VALUE; }\n"
                          "kernel void second(global int *a) { *a = -VALUE; }",
                          "-DVALUE=42 -cl-fast-relaxed-math");
  EXPECT_EQ(build_info<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_SUCCESS);
  EXPECT_EQ(build_text(program, CL_PROGRAM_BUILD_OPTIONS), "-DVALUE=42 -cl-fast-relaxed-math");
  EXPECT_EQ(type(program), cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
  EXPECT_EQ(text(program, CL_PROGRAM_KERNEL_NAMES), "first;second");
  size_t count = 0;
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(count, 2u);
  size_t size = 7;
  char untouched = 'x';
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_IL, 1, &untouched, &size), CL_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(untouched, 'x');
  EXPECT_EQ(run(program, "first"), 42);
  EXPECT_EQ(run(program, "second"), -42);
}

TEST_F(ProgramTest, WarningsAreInTheLog) {
  Program program = from_source("#warning look_here\nkernel void k(global int *a) { *a = 1; }");
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_NE(build_text(program, CL_PROGRAM_BUILD_LOG).find("look_here"), std::string::npos);
}

// The style of clFFT: a float2 buffer read as float4, and an address that was cast to an integer.
TEST_F(ProgramTest, PointersOfOtherTypesWithoutACast) {
  const char *source = R"(
    weight(uint i) { return i % 7 + 1; }
    kernel void k(global float2 *pairs, global float *sums) {
      global float4 *fours = pairs + 2 * get_global_id(0);
      ulong address = &sums[get_global_id(0)];
      global float *place = address;
      float4 f = *fours;
      const w = weight(get_global_id(0));
      *place = (f.x + 2 * f.y + 3 * f.z + 4 * f.w) * w;
    }
  )";
  Program program = from_source(source);
  EXPECT_NE(clBuildProgram(program, 0, nullptr, "-Werror", nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_NE(build_text(program, CL_PROGRAM_BUILD_LOG).find("incompatible"), std::string::npos);

  constexpr size_t items = 100;
  std::vector<float> numbers(4 * items), expected;
  for (size_t i = 0; i != numbers.size(); ++i)
    numbers[i] = static_cast<float>(i * i % 101);
  for (size_t i = 0; i != items; ++i) {
    float sum = 0;
    for (size_t j = 0; j != 4; ++j)
      sum += static_cast<float>(j + 1) * numbers[4 * i + j];
    expected.push_back(sum * static_cast<float>(i % 7 + 1));
  }
  Memory pairs = make_buffer(numbers.size() * sizeof(float)),
         sums = make_buffer(items * sizeof(float));
  write(pairs, numbers);
  Kernel kernel = make_kernel(program, "k");
  cl_mem memory[] = {pairs, sums};
  for (cl_uint i = 0; i != 2; ++i)
    ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &memory[i]), CL_SUCCESS);
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(read<float>(sums, items), expected);
}

TEST_F(ProgramTest, RebuildReplaces) {
  Program program = build("kernel void k(global int *a) { *a = VALUE; }", "-DVALUE=1");
  EXPECT_EQ(run(program, "k"), 1);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "-DVALUE=2", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(run(program, "k"), 2);
  EXPECT_NE(clBuildProgram(program, 0, nullptr, "-DVALUE=undeclared", nullptr, nullptr),
            CL_SUCCESS);
  cl_int status = 0;
  EXPECT_EQ(clCreateKernel(program, "k", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(ProgramTest, EmbeddedHeaders) {
  Program one = from_source("#define ONE 1\n"),
          two = from_source("#include <nested/one.h>\n#define TWO (ONE + ONE)\n");
  Program program = from_source("#include \"two.h\"\nkernel void k(global int *a) { *a = TWO; }");
  cl_program headers[] = {one, two};
  const char *names[] = {"nested/one.h", "two.h"};
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 2, headers, names, nullptr, nullptr),
            CL_SUCCESS)
      << build_text(program, CL_PROGRAM_BUILD_LOG);
  EXPECT_EQ(type(program), cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT});
  Program linked = link({program});
  EXPECT_EQ(type(linked), cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
  EXPECT_EQ(run(linked, "k"), 2);
}

TEST_F(ProgramTest, LinkObjectsAndLibraries) {
  Program twice = compile("int twice(int x) { return 2 * x; }");
  Program thrice = compile("int thrice(int x) { return 3 * x; }");
  Program kernel = compile("int twice(int); int thrice(int);\n"
                           "kernel void k(global int *a) { *a = twice(10) + thrice(100); }");
  EXPECT_EQ(run(link({kernel, twice, thrice}), "k"), 320);
  Program library = link({twice, thrice}, "-create-library");
  EXPECT_EQ(type(library), cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_LIBRARY});
  EXPECT_EQ(run(link({kernel, library}), "k"), 320);
  EXPECT_EQ(run(link({kernel, load(binary(library))}), "k"), 320)
      << "a library that went through a binary";
  EXPECT_EQ(run(link({load(binary(kernel)), library}), "k"), 320)
      << "an object that went through a binary";
}

TEST_F(ProgramTest, BinaryRoundTrip) {
  Program program = build("kernel void k(global int *a) { *a = 5; }", "-DUNUSED=1");
  Program loaded = load(binary(program));
  EXPECT_EQ(type(loaded), cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
  EXPECT_EQ(binary(loaded), binary(program));
  EXPECT_EQ(text(loaded, CL_PROGRAM_SOURCE), "");
  cl_int status = 0;
  EXPECT_EQ(clCreateKernel(loaded, "k", &status), nullptr) << "a binary must be built";
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(clBuildProgram(loaded, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(run(loaded, "k"), 5);
}

struct Done {
  std::atomic<cl_program> program{nullptr};
  static void CL_CALLBACK set(cl_program program, void *self) {
    static_cast<Done *>(self)->program = program;
  }
  cl_program wait() {
    while (!program)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return program;
  }
};

TEST_F(ProgramTest, BuildInTheBackground) {
  Program program = from_source("kernel void k(global int *a) { *a = 8; }");
  Done done;
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, Done::set, &done), CL_SUCCESS);
  EXPECT_EQ(done.wait(), program);
  EXPECT_EQ(build_info<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_SUCCESS);
  EXPECT_EQ(run(program, "k"), 8);
}

TEST_F(ProgramTest, FailureInTheBackground) {
  Program program = from_source("kernel void k(global int *a) { *a = missing_name; }");
  Done done;
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, Done::set, &done), CL_SUCCESS);
  done.wait();
  EXPECT_EQ(build_info<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
  EXPECT_NE(build_text(program, CL_PROGRAM_BUILD_LOG).find("missing_name"), std::string::npos);
}

TEST_F(ProgramTest, CompileAndLinkInTheBackground) {
  Program program = from_source("kernel void k(global int *a) { *a = 9; }");
  Done compiled, linked;
  EXPECT_EQ(
      clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, Done::set, &compiled),
      CL_SUCCESS);
  EXPECT_EQ(compiled.wait(), program);
  cl_program inputs[] = {program};
  cl_int status = 1;
  Program result(
      clLinkProgram(context_, 0, nullptr, nullptr, 1, inputs, Done::set, &linked, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(linked.wait(), result);
  EXPECT_EQ(run(result, "k"), 9);
}

// The callback releases the program; the build itself retains it until the callback returns.
TEST_F(ProgramTest, ReleasedByItsCallback) {
  static std::atomic<int> calls;
  calls = 0;
  const char *source = "kernel void k(global int *a) { *a = 10; }";
  for (int i = 0; i < 4; ++i) {
    cl_int status = 1;
    cl_program program = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    auto callback = [](cl_program built, void *) {
      EXPECT_EQ(clReleaseProgram(built), CL_SUCCESS);
      ++calls;
    };
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, callback, nullptr), CL_SUCCESS);
  }
  while (calls < 4)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(ProgramTest, LivesAsLongAsItsKernels) {
  Program program = build("kernel void k(global int *a) { *a = 11; }");
  Kernel kernel = make_kernel(program, "k");
  cl_program handle = program;
  program.reset();
  cl_program found = nullptr;
  EXPECT_EQ(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof found, &found, nullptr), CL_SUCCESS);
  EXPECT_EQ(found, handle);
  EXPECT_EQ(run(found, "k"), 11);
}

// Program-scope variables keep their values between launches, and each program has its own copies.
TEST_F(ProgramTest, ProgramScopeVariables) {
  const char *source =
      "global int counter = 100;\nkernel void k(global int *a) { *a = ++counter; }";
  Program first = build(source, "-cl-std=CL3.0"), second = build(source, "-cl-std=CL3.0");
  EXPECT_GE(build_info<size_t>(first, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE), sizeof(int));
  EXPECT_EQ(run(first, "k"), 101);
  EXPECT_EQ(run(first, "k"), 102);
  EXPECT_EQ(run(second, "k"), 101);
}

TEST_F(ProgramTest, SeveralThreadsBuild) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; j < 3; ++j) {
        std::string source =
            "kernel void k(global int *a) { *a = " + std::to_string(10 * i + j) + "; }";
        const char *text = source.c_str();
        cl_program program = clCreateProgramWithSource(context_, 1, &text, nullptr, nullptr);
        good += clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr) == CL_SUCCESS;
        clReleaseProgram(program);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 12);
}

} // namespace
