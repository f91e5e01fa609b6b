// Tests every error of the program functions (OpenCL 3.0 API section 5.8).
#include "error_fixture.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace lockstep::test;

namespace {

constexpr const char *good_source = "kernel void good(global int *a) { a[get_global_id(0)] = 1; }";

class ProgramErrors : public ErrorTest {
protected:
  cl_program no_program() { return reinterpret_cast<cl_program>(context_.get()); }
  cl_device_id no_device() { return reinterpret_cast<cl_device_id>(context_.get()); }

  Program from_source(const char *source, cl_context context = nullptr) {
    cl_int status = 1;
    Program program(clCreateProgramWithSource(context ? context : context_.get(), 1, &source,
                                              nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return program;
  }

  std::string log(cl_program program) {
    size_t size = 0;
    EXPECT_EQ(clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size),
              CL_SUCCESS);
    std::string text(size, '\0');
    EXPECT_EQ(
        clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr),
        CL_SUCCESS);
    return text;
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

  Program compiled(const char *source) {
    Program program = from_source(source);
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
              CL_SUCCESS);
    return program;
  }
};

TEST_F(ProgramErrors, CreateWithSource) {
  const char *source = good_source;
  const char *null = nullptr;
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateProgramWithSource(no_context(), 1, &source, nullptr, status);
  });
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *status) {
        return clCreateProgramWithSource(context_, 0, &source, nullptr, status);
      },
      "count");
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *status) {
        return clCreateProgramWithSource(context_, 1, nullptr, nullptr, status);
      },
      "strings");
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *status) {
        return clCreateProgramWithSource(context_, 1, &null, nullptr, status);
      },
      "strings[0]");
}

TEST_F(ProgramErrors, CreateWithBinaryArguments) {
  const unsigned char bytes[] = "no binary";
  const unsigned char *binaries[] = {bytes};
  const unsigned char *null[] = {nullptr};
  const size_t lengths[] = {sizeof bytes}, zero[] = {0};
  const cl_device_id wrong[] = {no_device()};
  cl_int binary_status = 1;
  struct Case {
    cl_int code;
    cl_uint count;
    const cl_device_id *devices;
    const size_t *lengths;
    const unsigned char **binaries;
    const char *word;
  };
  const Case cases[] = {
      {CL_INVALID_VALUE, 1, nullptr, lengths, binaries, "device_list"},
      {CL_INVALID_VALUE, 0, &device_, lengths, binaries, "num_devices"},
      {CL_INVALID_DEVICE, 1, wrong, lengths, binaries, "device_list[0]"},
      {CL_INVALID_VALUE, 1, &device_, nullptr, binaries, "lengths"},
      {CL_INVALID_VALUE, 1, &device_, lengths, nullptr, "binaries"},
      {CL_INVALID_VALUE, 1, &device_, zero, binaries, "lengths[0]"},
      {CL_INVALID_VALUE, 1, &device_, lengths, null, "binaries[0]"},
      {CL_INVALID_BINARY, 1, &device_, lengths, binaries, "binaries[0]"},
  };
  for (const Case &wrong_call : cases)
    expect_null(
        wrong_call.code,
        [&](cl_int *status) {
          return clCreateProgramWithBinary(context_, wrong_call.count, wrong_call.devices,
                                           wrong_call.lengths, wrong_call.binaries, &binary_status,
                                           status);
        },
        wrong_call.word);
  EXPECT_EQ(binary_status, CL_INVALID_BINARY); // from the last case
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateProgramWithBinary(no_context(), 1, &device_, lengths, binaries, nullptr, status);
  });
}

TEST_F(ProgramErrors, CreateWithBuiltInKernels) {
  auto create = [&](cl_context context, cl_uint count, const cl_device_id *devices,
                    const char *names) {
    return [=](cl_int *status) {
      return clCreateProgramWithBuiltInKernels(context, count, devices, names, status);
    };
  };
  const cl_device_id wrong[] = {no_device()};
  expect_null(CL_INVALID_CONTEXT, create(no_context(), 1, &device_, "k"));
  expect_null(CL_INVALID_VALUE, create(context_, 1, nullptr, "k"), "device_list");
  expect_null(CL_INVALID_VALUE, create(context_, 0, &device_, "k"), "num_devices");
  expect_null(CL_INVALID_DEVICE, create(context_, 1, wrong, "k"), "device_list[0]");
  expect_null(CL_INVALID_VALUE, create(context_, 1, &device_, nullptr), "kernel_names");
  expect_null(CL_INVALID_VALUE, create(context_, 1, &device_, "k"), "kernel_names");
}

TEST_F(ProgramErrors, RetainReleaseCallback) {
  auto callback = [](cl_program, void *) {};
  expect(CL_INVALID_PROGRAM, clRetainProgram(no_program()));
  expect(CL_INVALID_PROGRAM, clReleaseProgram(no_program()));
  expect(CL_INVALID_PROGRAM, clSetProgramReleaseCallback(no_program(), callback, nullptr));
  Program program = from_source(good_source);
  expect(CL_INVALID_OPERATION, clSetProgramReleaseCallback(program, callback, nullptr),
         "destructors");
  cl_program stale = program.get();
  program.reset();
  EXPECT_EQ(clReleaseProgram(stale), CL_INVALID_PROGRAM);
  EXPECT_EQ(clBuildProgram(stale, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_PROGRAM);
}

TEST_F(ProgramErrors, BuildArguments) {
  Program program = from_source(good_source);
  int data = 0;
  const cl_device_id wrong[] = {no_device()};
  expect(CL_INVALID_PROGRAM, clBuildProgram(no_program(), 0, nullptr, nullptr, nullptr, nullptr));
  expect(CL_INVALID_VALUE, clBuildProgram(program, 1, nullptr, nullptr, nullptr, nullptr),
         "device_list");
  expect(CL_INVALID_VALUE, clBuildProgram(program, 0, &device_, nullptr, nullptr, nullptr),
         "num_devices");
  expect(CL_INVALID_VALUE, clBuildProgram(program, 0, nullptr, nullptr, nullptr, &data),
         "user_data");
  expect(CL_INVALID_DEVICE, clBuildProgram(program, 1, wrong, nullptr, nullptr, nullptr),
         "device_list[0]");
  expect(CL_INVALID_BUILD_OPTIONS,
         clBuildProgram(program, 0, nullptr, "-no-such-option", nullptr, nullptr),
         "no-such-option");
  EXPECT_NE(log(program).find("no-such-option"), std::string::npos) << log(program);
}

TEST_F(ProgramErrors, BuildFailure) {
  Program program = from_source("kernel void bad(global int *a) { a[0] = undeclared_name; }");
  expect(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr),
         "5.8");
  EXPECT_NE(log(program).find("undeclared_name"), std::string::npos) << log(program);
  cl_build_status status = CL_BUILD_NONE;
  EXPECT_EQ(clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                                  nullptr),
            CL_SUCCESS);
  EXPECT_EQ(status, CL_BUILD_ERROR);
  expect_null(
      CL_INVALID_PROGRAM_EXECUTABLE,
      [&](cl_int *code) { return clCreateKernel(program, "bad", code); }, "program");
}

TEST_F(ProgramErrors, UndefinedFunction) {
  Program program =
      from_source("int missing(int); kernel void k(global int *a) { a[0] = missing(1); }");
  expect(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr),
         "5.8");
  EXPECT_NE(log(program).find("missing"), std::string::npos) << log(program);
}

// The library accepts option strings of any length.
TEST_F(ProgramErrors, EndlessOptions) {
  std::string options;
  while (options.size() < (1 << 20))
    options += "-DNAME" + std::to_string(options.size()) + "=1 ";
  Program program = from_source(good_source);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, options.c_str(), nullptr, nullptr), CL_SUCCESS)
      << log(program);
  options += "-bad-option-at-the-end";
  notifications_.sentences.clear();
  expect(CL_INVALID_BUILD_OPTIONS,
         clBuildProgram(program, 0, nullptr, options.c_str(), nullptr, nullptr),
         "bad-option-at-the-end");
}

TEST_F(ProgramErrors, AttachedKernels) {
  Program program = build(good_source);
  Kernel kernel = make_kernel(program, "good");
  expect(CL_INVALID_OPERATION, clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr),
         "kernel objects");
  expect(CL_INVALID_OPERATION,
         clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
         "kernel objects");
  kernel.reset();
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
}

struct Gate {
  std::atomic<bool> reached{false}, open{false};
  static void CL_CALLBACK wait(cl_program, void *self) {
    auto *gate = static_cast<Gate *>(self);
    gate->reached = true;
    while (!gate->open)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    gate->reached = false;
  }
};

// Returns source that takes long to compile, so that a second build starts while the first one
// runs.
std::string slow_source() {
  std::string source;
  for (int i = 0; i < 200; ++i)
    source += "kernel void k" + std::to_string(i) +
              "(global float *a) { a[0] = sin(a[1]) + pow(a[2], a[3]); }\n";
  return source + "// " +
         std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
}

// A build with a callback runs in the background only if it can start. Invalid options prevent
// that: the call fails and the library does not call the callback (sections 5.8.4, 5.8.5).
TEST_F(ProgramErrors, BadOptionsAreTheCallsErrorAlsoWithACallback) {
  std::atomic<int> calls{0};
  auto count = [](cl_program, void *self) { ++*static_cast<std::atomic<int> *>(self); };
  Program program = from_source(good_source);
  expect(CL_INVALID_BUILD_OPTIONS,
         clBuildProgram(program, 0, nullptr, "-no-such-option", count, &calls), "no-such-option");
  EXPECT_NE(log(program).find("no-such-option"), std::string::npos) << log(program);
  expect(
      CL_INVALID_COMPILER_OPTIONS,
      clCompileProgram(program, 0, nullptr, "-no-such-option", 0, nullptr, nullptr, count, &calls),
      "no-such-option");
  Program object = compiled(good_source);
  cl_program inputs[] = {object};
  expect_null(
      CL_INVALID_LINKER_OPTIONS,
      [&](cl_int *status) {
        return clLinkProgram(context_, 0, nullptr, "-no-such-option", 1, inputs, count, &calls,
                             status);
      },
      "no-such-option");
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(calls, 0);
}

TEST_F(ProgramErrors, BuildInProgress) {
  std::string source = slow_source();
  Program program = from_source(source.c_str());
  Gate gate;
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, Gate::wait, &gate), CL_SUCCESS);
  cl_build_status status = CL_BUILD_NONE;
  EXPECT_EQ(clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                                  nullptr),
            CL_SUCCESS);
  EXPECT_EQ(status, CL_BUILD_IN_PROGRESS);
  expect(CL_INVALID_OPERATION, clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr),
         "not ended");
  expect(CL_INVALID_OPERATION,
         clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
         "not ended");
  cl_program inputs[] = {program};
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *code) {
        return clLinkProgram(context_, 0, nullptr, nullptr, 1, inputs, nullptr, nullptr, code);
      },
      "not ended");
  while (!gate.reached)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  gate.open = true;
  while (gate.reached)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(ProgramErrors, CompileArguments) {
  Program program = from_source(good_source), header = from_source("#define ONE 1");
  Program foreign = from_source("#define ONE 1", other_context_);
  int data = 0;
  cl_program headers[] = {header}, wrong[] = {no_program()}, others[] = {foreign};
  const char *names[] = {"one.h"}, *null[] = {nullptr};
  auto compile = [&](cl_uint count, const cl_program *programs, const char **header_names) {
    return clCompileProgram(program, 0, nullptr, nullptr, count, programs, header_names, nullptr,
                            nullptr);
  };
  expect(CL_INVALID_PROGRAM, clCompileProgram(no_program(), 0, nullptr, nullptr, 0, nullptr,
                                              nullptr, nullptr, nullptr));
  expect(CL_INVALID_VALUE,
         clCompileProgram(program, 1, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
         "device_list");
  expect(CL_INVALID_VALUE,
         clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, &data),
         "user_data");
  expect(CL_INVALID_VALUE, compile(0, headers, nullptr), "num_input_headers");
  expect(CL_INVALID_VALUE, compile(0, nullptr, names), "num_input_headers");
  expect(CL_INVALID_VALUE, compile(1, nullptr, names), "num_input_headers");
  expect(CL_INVALID_VALUE, compile(1, headers, nullptr), "num_input_headers");
  expect(CL_INVALID_VALUE, compile(1, headers, null), "header_include_names[0]");
  expect(CL_INVALID_PROGRAM, compile(1, wrong, names), "input_headers[0]");
  expect(CL_INVALID_CONTEXT, compile(1, others, names), "input_headers[0]");
  expect(CL_INVALID_COMPILER_OPTIONS,
         clCompileProgram(program, 0, nullptr, "-no-such-option", 0, nullptr, nullptr, nullptr,
                          nullptr),
         "no-such-option");
}

TEST_F(ProgramErrors, CompileFailure) {
  Program program = from_source("#include \"missing.h\"\n");
  expect(CL_COMPILE_PROGRAM_FAILURE,
         clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
         "5.8");
  EXPECT_NE(log(program).find("missing.h"), std::string::npos) << log(program);
}

TEST_F(ProgramErrors, NothingToCompileOrBuild) {
  Program object = compiled(good_source);
  cl_program inputs[] = {object};
  cl_int status = 1;
  Program linked(
      clLinkProgram(context_, 0, nullptr, nullptr, 1, inputs, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  expect(CL_INVALID_OPERATION, clBuildProgram(linked, 0, nullptr, nullptr, nullptr, nullptr),
         "no source");
  expect(CL_INVALID_OPERATION,
         clCompileProgram(linked, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
         "clCreateProgramWithSource");

  // A compiled object is not an executable.
  std::vector<unsigned char> bytes = binary(object);
  const unsigned char *place = bytes.data();
  size_t size = bytes.size();
  Program loaded(clCreateProgramWithBinary(context_, 1, &device_, &size, &place, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  expect(CL_INVALID_BINARY, clBuildProgram(loaded, 0, nullptr, nullptr, nullptr, nullptr),
         "object");
}

TEST_F(ProgramErrors, LinkArguments) {
  Program object = compiled(good_source);
  Program foreign = from_source(good_source, other_context_);
  int data = 0;
  const cl_device_id wrong_devices[] = {no_device()};
  cl_program inputs[] = {object}, wrong[] = {no_program()}, others[] = {foreign};
  auto link = [&](cl_uint devices, const cl_device_id *list, cl_uint count,
                  const cl_program *programs, void *user) {
    return [=, this](cl_int *status) {
      return clLinkProgram(context_, devices, list, nullptr, count, programs, nullptr, user,
                           status);
    };
  };
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clLinkProgram(no_context(), 0, nullptr, nullptr, 1, inputs, nullptr, nullptr, status);
  });
  expect_null(CL_INVALID_VALUE, link(1, nullptr, 1, inputs, nullptr), "device_list");
  expect_null(CL_INVALID_VALUE, link(0, &device_, 1, inputs, nullptr), "num_devices");
  expect_null(CL_INVALID_DEVICE, link(1, wrong_devices, 1, inputs, nullptr), "device_list[0]");
  expect_null(CL_INVALID_VALUE, link(0, nullptr, 0, inputs, nullptr), "num_input_programs");
  expect_null(CL_INVALID_VALUE, link(0, nullptr, 0, nullptr, nullptr), "num_input_programs");
  expect_null(CL_INVALID_VALUE, link(0, nullptr, 1, nullptr, nullptr), "input_programs");
  expect_null(CL_INVALID_PROGRAM, link(0, nullptr, 1, wrong, nullptr), "input_programs[0]");
  expect_null(CL_INVALID_CONTEXT, link(0, nullptr, 1, others, nullptr), "input_programs[0]");
  expect_null(CL_INVALID_VALUE, link(0, nullptr, 1, inputs, &data), "user_data");
  expect_null(
      CL_INVALID_LINKER_OPTIONS,
      [&](cl_int *status) {
        return clLinkProgram(context_, 0, nullptr, "-no-such-option", 1, inputs, nullptr, nullptr,
                             status);
      },
      "no-such-option");
}

TEST_F(ProgramErrors, LinkMixedInputs) {
  Program object = compiled(good_source), source = from_source("int f(void) { return 1; }");
  cl_program inputs[] = {object, source};
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clLinkProgram(context_, 0, nullptr, nullptr, 2, inputs, nullptr, nullptr, status);
      },
      "all or none");
}

// The call still returns the program, so that its log can be read.
TEST_F(ProgramErrors, LinkFailure) {
  Program object =
      compiled("int missing(int); kernel void k(global int *a) { a[0] = missing(1); }");
  cl_program inputs[] = {object};
  cl_int status = 1;
  Program linked(
      clLinkProgram(context_, 0, nullptr, nullptr, 1, inputs, nullptr, nullptr, &status));
  EXPECT_EQ(status, CL_LINK_PROGRAM_FAILURE);
  ASSERT_NE(linked.get(), nullptr);
  EXPECT_NE(log(linked).find("missing"), std::string::npos) << log(linked);
}

TEST_F(ProgramErrors, Queries) {
  Program program = from_source(good_source);
  size_t value = 0;
  expect(CL_INVALID_PROGRAM,
         clGetProgramInfo(no_program(), CL_PROGRAM_NUM_DEVICES, sizeof value, &value, nullptr));
  expect(CL_INVALID_VALUE, clGetProgramInfo(program, CL_DEVICE_NAME, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE, clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, 1, &value, nullptr),
         "param_value_size");
  expect(CL_INVALID_VALUE, clGetProgramInfo(program, CL_PROGRAM_BINARIES, 1, &value, nullptr),
         "param_value_size");
  for (cl_program_info name :
       {CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
        CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT})
    expect(CL_INVALID_PROGRAM_EXECUTABLE,
           clGetProgramInfo(program, name, sizeof value, &value, nullptr), "built");
  expect(CL_INVALID_PROGRAM, clGetProgramBuildInfo(no_program(), device_, CL_PROGRAM_BUILD_STATUS,
                                                   sizeof value, &value, nullptr));
  expect(CL_INVALID_DEVICE,
         clGetProgramBuildInfo(program, no_device(), CL_PROGRAM_BUILD_STATUS, sizeof value, &value,
                               nullptr),
         "device");
  expect(CL_INVALID_VALUE,
         clGetProgramBuildInfo(program, device_, CL_DEVICE_NAME, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE,
         clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_STATUS, 1, &value, nullptr),
         "param_value_size");
}

} // namespace
