// Tests damaged and forged binaries: the library rejects each of them and runs none.
#include "error_fixture.h"

#include "api/inspection/inspection.h"

#include <algorithm>
#include <dlfcn.h>
#include <random>
#include <string_view>

using namespace lockstep::test;

namespace {

constexpr const char *good_source = "kernel void good(global int *a) { a[get_global_id(0)] = 1; }";

class BinaryErrors : public ErrorTest {
protected:
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
};

// The library must reject a binary with any byte changed, and a truncated binary.
TEST_F(BinaryErrors, DamagedBinaries) {
  Program program = build(good_source);
  const std::vector<unsigned char> whole = binary(program);
  ASSERT_GT(whole.size(), 16u);
  auto create = [&](const std::vector<unsigned char> &bytes) {
    const unsigned char *place = bytes.data();
    size_t size = bytes.size();
    cl_int status = 1;
    Program made(clCreateProgramWithBinary(context_, 1, &device_, &size, &place, nullptr, &status));
    EXPECT_EQ(made.get() == nullptr, status != CL_SUCCESS);
    return status;
  };
  EXPECT_EQ(create(whole), CL_SUCCESS);
  for (size_t at = 0; at < whole.size(); at += whole.size() / 37 + 1) {
    std::vector<unsigned char> damaged = whole;
    damaged[at] ^= 0x10;
    EXPECT_EQ(create(damaged), CL_INVALID_BINARY) << "byte " << at;
    damaged.assign(whole.begin(), whole.begin() + at + 1);
    EXPECT_EQ(create(damaged), CL_INVALID_BINARY) << "first " << at + 1 << " bytes";
  }
}

// Changes, removes and repeats bytes, and inserts bytes of another program, several times each.
TEST_F(BinaryErrors, BinariesDamagedAtRandom) {
  Program program = build(good_source), second = build("kernel void other() {}");
  const std::vector<unsigned char> whole = binary(program), stranger = binary(second);
  std::mt19937 random(1);
  const auto upto = [&](size_t end) { return std::ptrdiff_t(random() % (end + 1)); };
  for (int round = 0; round < 2000; ++round) {
    std::vector<unsigned char> damaged = whole;
    for (int left = 1 + int(random() % 4); left > 0; --left) {
      const auto at = damaged.begin() + upto(damaged.size());
      const auto end = at + upto(std::min<size_t>(64, damaged.end() - at));
      const std::vector<unsigned char> piece(at, end);
      switch (random() % 4) {
      case 0:
        std::ranges::generate(at, end, [&] { return static_cast<unsigned char>(random()); });
        break;
      case 1:
        damaged.erase(at, end);
        break;
      case 2:
        damaged.insert(at, piece.begin(), piece.end());
        break;
      case 3:
        damaged.insert(at, stranger.begin(), stranger.begin() + upto(stranger.size()));
        break;
      }
    }
    const unsigned char *place = damaged.data();
    size_t size = damaged.size();
    if (damaged == whole || damaged == stranger || size == 0)
      continue;
    cl_int status = 1;
    Program made(clCreateProgramWithBinary(context_, 1, &device_, &size, &place, nullptr, &status));
    EXPECT_EQ(status, CL_INVALID_BINARY) << "round " << round;
  }
}

// The message names the function that takes SPIR-V, in either byte order.
TEST_F(BinaryErrors, SpirvIsNotABinary) {
  for (const std::string_view words : {"\x03\x02\x23\x07rest", "\x07\x23\x02\x03rest"}) {
    const auto *bytes = reinterpret_cast<const unsigned char *>(words.data());
    const size_t size = words.size();
    cl_int binary_status = 1;
    expect_null(
        CL_INVALID_BINARY,
        [&](cl_int *status) {
          return clCreateProgramWithBinary(context_, 1, &device_, &size, &bytes, &binary_status,
                                           status);
        },
        "binaries[0]: the program binary is SPIR-V, which clCreateProgramWithIL takes");
    EXPECT_EQ(binary_status, CL_INVALID_BINARY);
  }
}

// ---- a checksum is not a signature: a forger can recompute it, as the library does here

const lockstep::Inspection &inspection() {
  void *library = dlopen("liblockstep.so", RTLD_NOW | RTLD_NOLOAD); // by the OpenCL loader
  auto get =
      reinterpret_cast<decltype(&lockstep_inspection)>(dlsym(library, "lockstep_inspection"));
  return *get(LOCKSTEP_VERSION);
}

lockstep::compiler::KernelModule module_of(const char *source) {
  std::string log;
  auto module = inspection().build_opencl_c(source, "", log);
  EXPECT_TRUE(module) << log;
  return *module;
}

class ForgedBinaries : public BinaryErrors {
protected:
  // The library accepts the binary but cannot build it: the build log contains `sentence`, which
  // names `word`.
  void expect_refused(const lockstep::compiler::KernelModule &module, const std::string &word,
                      std::string_view sentence) {
    const std::string binary = inspection().write_binary(module);
    auto *place = reinterpret_cast<const unsigned char *>(binary.data());
    size_t size = binary.size();
    cl_int status = 1;
    Program made(clCreateProgramWithBinary(context_, 1, &device_, &size, &place, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    expect(CL_INVALID_BINARY, clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), word);
    char log[512] = {};
    EXPECT_EQ(clGetProgramBuildInfo(made, device_, CL_PROGRAM_BUILD_LOG, sizeof log, log, nullptr),
              CL_SUCCESS);
    EXPECT_NE(std::string_view(log).find(sentence), std::string_view::npos) << log;
    EXPECT_EQ(clCreateKernel(made, "k", &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
    notifications_.sentences.clear();
  }
};

// Machine code may call the device library and functions that implement instructions, but no
// function of the process.
TEST_F(ForgedBinaries, ThatCallFunctionsOfTheProcess) {
  const std::string_view sine = "_Z3sinf";
  for (const char *function : {"syscall", "execvpe", "lockf64"}) {
    auto module = module_of("kernel void k(global float *a) { *a = sin(*a); }");
    const size_t place = module.bitcode.find(sine); // in the symbol table, which is text
    ASSERT_NE(place, std::string::npos);
    module.bitcode.replace(place, sine.size(), function);
    expect_refused(module, function, "is declared and used, but defined nowhere");
  }
}

TEST_F(ForgedBinaries, WhoseTableNamesAnotherKernel) {
  auto module = module_of("kernel void k(global float *a) { *a = 1; }");
  module.kernels[0].name = "other_name";
  expect_refused(module, "other_name", "is in the table of the binary and not in its code");
}

} // namespace
