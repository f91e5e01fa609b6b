// Tests mistakes with programs from SPIR-V (OpenCL 3.0 API sections 5.8.1, 5.8.3 and 5.8.4).
#include "../spirv/spirv_modules.h"
#include "error_fixture.h"

#include <cstdint>

using namespace lockstep::test;

namespace {

class IlErrors : public ErrorTest {
protected:
  auto create(cl_context context, const void *il, size_t length) {
    return [=](cl_int *status) { return clCreateProgramWithIL(context, il, length, status); };
  }
  void expect_malformed(const std::string &words, const std::string &word) {
    expect_null(CL_INVALID_VALUE, create(context_, words.data(), words.size()), word);
  }
  Program from_il(const std::string &words) {
    cl_int status = 1;
    Program program(clCreateProgramWithIL(context_, words.data(), words.size(), &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return program;
  }
  std::string log(cl_program program) {
    char text[1024] = "";
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, sizeof text, text, nullptr);
    return text;
  }

  const std::string words_ = spirv_module("add");
};

// Replaces a word, counted from 0.
std::string with_word(std::string words, size_t index, uint32_t value) {
  std::memcpy(words.data() + 4 * index, &value, 4);
  return words;
}

// The index of the first word of an instruction.
size_t find_instruction(const std::string &words, uint16_t opcode) {
  for (size_t at = 5; 4 * at < words.size();) {
    uint32_t word;
    std::memcpy(&word, words.data() + 4 * at, 4);
    if ((word & 0xffff) == opcode)
      return at;
    at += word >> 16;
  }
  ADD_FAILURE() << "there is no instruction " << opcode;
  return 5;
}

constexpr uint16_t op_i_add = 128, op_f_add = 129;

TEST_F(IlErrors, CreateArguments) {
  expect_null(CL_INVALID_CONTEXT, create(no_context(), words_.data(), words_.size()));
  expect_null(CL_INVALID_VALUE, create(context_, nullptr, 20), "il is null");
  expect_null(CL_INVALID_VALUE, create(context_, words_.data(), 0), "length is 0");
}

TEST_F(IlErrors, MalformedModules) {
  expect_malformed("kernel void k() {}  ", "well-formed SPIR-V");
  expect_malformed("abc", "well-formed SPIR-V");
  expect_malformed(words_.substr(0, 16), "well-formed SPIR-V");
  expect_malformed(words_.substr(0, words_.size() - 1), "well-formed SPIR-V");
  expect_malformed(words_.substr(0, words_.size() - 8), "well-formed SPIR-V");
  expect_malformed(with_word(words_, 5, 0), "well-formed SPIR-V");          // a word count of 0
  expect_malformed(with_word(words_, 5, 0xffff0011), "well-formed SPIR-V"); // one beyond the end
  expect_malformed(with_word(words_, 1, 0x00990000), "well-formed SPIR-V"); // version 153.0
}

// The structure is right, but an operand has the wrong type. The log names the instruction.
TEST_F(IlErrors, BuildsThatFail) {
  const size_t at = find_instruction(words_, op_i_add);
  const std::string broken = with_word(words_, at, 5u << 16 | op_f_add);
  Program program = from_il(broken);
  expect(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, nullptr, "", nullptr, nullptr),
         "OpFAdd");
  EXPECT_NE(log(program).find("program.spv:"), std::string::npos) << log(program);
  EXPECT_NE(log(program).find("OpFAdd"), std::string::npos) << log(program);
  expect(CL_COMPILE_PROGRAM_FAILURE,
         clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr),
         "OpFAdd");
  cl_int status = 0;
  EXPECT_EQ(clCreateKernel(program, "add", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  notifications_.sentences.clear();
}

// The extension that the module needs is named, not only the number of its capability.
TEST_F(IlErrors, MissingExtensions) {
  Program program = from_il(spirv_module("function_pointers"));
  expect(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, nullptr, "", nullptr, nullptr),
         "SPV_INTEL_function_pointers");
}

TEST_F(IlErrors, BuildOptions) {
  Program program = from_il(words_);
  expect(CL_INVALID_BUILD_OPTIONS,
         clBuildProgram(program, 0, nullptr, "-no-such-option", nullptr, nullptr),
         "-no-such-option");
  expect(CL_INVALID_COMPILER_OPTIONS,
         clCompileProgram(program, 0, nullptr, "-create-library", 0, nullptr, nullptr, nullptr,
                          nullptr),
         "-create-library");
}

// An import that no program defines.
TEST_F(IlErrors, MissingFunctions) {
  Program program = from_il(spirv_module("exported"));
  expect(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, nullptr, "", nullptr, nullptr),
         "helper");
}

TEST_F(IlErrors, SpecializationConstants) {
  Program program = from_il(spirv_module("constants"));
  cl_int value = 1;
  auto set = [&](cl_program of, cl_uint id, size_t size, const void *to) {
    return clSetProgramSpecializationConstant(of, id, size, to);
  };
  expect(CL_INVALID_PROGRAM, set(reinterpret_cast<cl_program>(context_.get()), 2, 4, &value));
  const char *source = "kernel void k() {}";
  cl_int status = 1;
  Program from_source(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
  expect(CL_INVALID_PROGRAM, set(from_source, 2, 4, &value), "clCreateProgramWithIL");
  expect(CL_INVALID_SPEC_ID, set(program, 99, 4, &value), "spec_id");
  expect(CL_INVALID_VALUE, set(program, 2, 8, &value), "spec_size");
  expect(CL_INVALID_VALUE, set(program, 1, 4, &value), "spec_size"); // a bool has one byte
  expect(CL_INVALID_VALUE, set(program, 2, 4, nullptr), "spec_value");
  expect(CL_SUCCESS, set(program, 2, 4, &value));
}

} // namespace
