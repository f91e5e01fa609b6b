// Tests kernel IR from another front end: it is linked with OpenCL C, compiled to lanes, and run.
#include "driver/compile.h"
#include "driver/run_one_group.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace lockstep::compiler {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Bitcode of a C++ source, compiled by stock clang with these flags.
std::string clang(const std::string &source, const std::string &flags) {
  const fs::path directory =
      fs::temp_directory_path() / fmt::format("lockstep-import-test-{}", ::getpid());
  fs::create_directories(directory);
  std::ofstream(directory / "a.cpp") << source;
  const fs::path out = directory / "a.bc";
  const std::string command = fmt::format("{} {} -c -emit-llvm -o {} {} 2>&1", LOCKSTEP_CLANG,
                                          flags, out.string(), (directory / "a.cpp").string());
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::stringstream bitcode;
  bitcode << std::ifstream(out, std::ios::binary).rdbuf();
  fs::remove_all(directory);
  return bitcode.str();
}

const char *const device_pass =
    "-fsycl -fsycl-device-only --offload-targets=spir64-unknown-unknown -O2 -Xclang "
    "-disable-llvm-passes -w";

const char *const sycl_source = R"(
  unsigned long __attribute__((const)) get_global_id(unsigned) __asm__("_Z13get_global_idj");
  template <class Name, class Kernel>
  [[clang::sycl_kernel_entry_point(Name)]] void run(Kernel kernel) { kernel(); }
  struct Square {
    __attribute__((opencl_global)) int *out;
    int add;
    void operator()() const {
      int i = static_cast<int>(get_global_id(0));
      out[i] = i * i + add;
    }
  };
  void instantiate() { (void)&run<class square, Square>; }
)";

TEST(ImportKernelIr, SyclKernelRunsInLanes) {
  std::string log;
  auto object = import_kernel_ir(clang(sycl_source, device_pass), log);
  ASSERT_TRUE(object) << log;
  EXPECT_EQ(object->language, SourceLanguage::kernel_ir);
  auto program = link_program({&*object}, "", log);
  ASSERT_TRUE(program) << log;
  ASSERT_EQ(program->kernels.size(), 1u);
  const KernelInfo &kernel = program->kernels[0];
  ASSERT_EQ(kernel.args.size(), 1u);
  EXPECT_EQ(kernel.args[0].size, 16u); // the function object, by value

  CodeOptions options = code_options_of_process();
  options.lanes = true;
  options.sub_group_size = 8;
  options.form = WantedForm::by_waits;
  auto codes = ProgramCode::create(std::make_shared<const KernelModule>(*program), options);
  ASSERT_TRUE(codes);
  auto code = (*codes)->kernel(kernel.name, {{19, 1, 1}});
  ASSERT_TRUE(code) << (code ? "" : code.error().message);
  EXPECT_EQ((*code)->sub_group_size, 8u);
  int out[19];
  struct {
    int *out;
    int add;
  } arguments = {out, 100};
  run_one_group(**code, 19, &arguments);
  for (int i = 0; i != 19; ++i)
    EXPECT_EQ(out[i], i * i + 100) << i;
}

TEST(ImportKernelIr, LinksWithOpenClC) {
  std::string log;
  auto imported = import_kernel_ir(
      clang("extern \"C\" __attribute__((sycl_device)) int twice(int x) { return 2 * x; }\n",
            "--target=spir64-unknown-unknown -O1"),
      log);
  ASSERT_TRUE(imported) << log;
  auto opencl_c = compile_opencl_c(
      "int twice(int) __asm__(\"twice\"); kernel void k(global int *p) { p[0] = twice(p[0]); }", "",
      {}, log);
  ASSERT_TRUE(opencl_c) << log;
  auto program = link_program({&*opencl_c, &*imported}, "", log);
  ASSERT_TRUE(program) << log;
  auto codes = ProgramCode::create(std::make_shared<const KernelModule>(*program));
  ASSERT_TRUE(codes);
  auto code = (*codes)->kernel("k", {{1, 1, 1}});
  ASSERT_TRUE(code) << (code ? "" : code.error().message);
  int value = 21;
  int *argument = &value;
  run_one_group(**code, 1, &argument);
  EXPECT_EQ(value, 42);
}

// Every language has the rule; only OpenCL C has the citation.
TEST(ImportKernelIr, RecursionIsRefusedWithoutCitingOpenClC) {
  std::string log;
  auto object =
      import_kernel_ir(clang("extern \"C\" int down(int x) { return x ? x * down(x - 1) : 1; }\n",
                             "--target=spir64-unknown-unknown -O0"),
                       log);
  ASSERT_TRUE(object) << log;
  auto program = link_program({&*object}, "", log);
  ASSERT_FALSE(program);
  EXPECT_THAT(log, HasSubstr("the function down calls itself"));
  EXPECT_THAT(log, testing::Not(HasSubstr("OpenCL")));
}

TEST(ImportKernelIr, WhatIsNoKernelIrIsRefusedWithAReason) {
  std::string log;
  auto none = import_kernel_ir("BC\xC0\xDEsome bytes", log);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::invalid_binary);
  EXPECT_THAT(log, HasSubstr("not LLVM bitcode"));
  log.clear();
  auto host = import_kernel_ir(clang("int f() { return 1; }", ""), log);
  ASSERT_FALSE(host);
  EXPECT_THAT(log, HasSubstr("spir64"));
}

} // namespace
} // namespace lockstep::compiler
