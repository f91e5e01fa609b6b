// Tests that cache keys include every compile option, and that two sets of options work in one
// process.
#include "back_ends/nvidia/target/nvidia_target.h"
#include "compiler/options/target.h"
#include "driver/compile.h"
#include "driver/run_one_group.h"
#include "process/disk_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::compiler {
namespace {

std::string key_of(const CodeOptions &options) {
  CacheKeyBuilder key;
  add_to_key(key, options);
  return key.key().hex();
}

// exit() runs it after the handler that waits for calls of LLVM, since it was registered earlier.
constinit bool is_child = false;
void ask_after_the_end() {
  if (is_child)
    _exit(code_options_of_process().target == TargetInfo() ? 0 : 1);
}
[[gnu::constructor(101)]] void register_handler() {
  std::atexit(ask_after_the_end);
}

// LLVM's objects are destroyed at the same time. A process that was in exit() while another thread
// loaded the library ended by a signal.
TEST(CodeOptions, AskNothingOfLlvmAtTheEndOfTheProcess) {
  const pid_t child = fork();
  if (child == 0) {
    is_child = true;
    std::exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(CodeOptions, EachFieldIsPartOfTheKey) {
  const std::vector<std::function<void(CodeOptions &)>> changes = {
      [](CodeOptions &) {},
      [](CodeOptions &options) { options.target.cpu = "znver5"; },
      [](CodeOptions &options) { options.target.features = "+avx2"; },
      [](CodeOptions &options) { options.target.vector_bits = 512; },
      [](CodeOptions &options) { options.lanes = false; },
      [](CodeOptions &options) { options.sub_group_size = 4; },
      [](CodeOptions &options) { options.form = WantedForm::resumable; },
      [](CodeOptions &options) { options.inline_limit = 1; },
      [](CodeOptions &options) { options.code_limit = 1; },
      [](CodeOptions &options) { options.region_limit = 1; },
      [](CodeOptions &options) { options.verify = true; },
  };
  std::set<std::string> keys;
  for (const auto &change : changes) {
    CodeOptions options;
    change(options);
    keys.insert(key_of(options));
    EXPECT_EQ(key_of(options), key_of(CodeOptions(options)));
  }
  EXPECT_EQ(keys.size(), changes.size());
}

TEST(CodeOptions, SubGroupSizeThatAKernelStartsFrom) {
  CodeOptions options;
  options.target.vector_bits = 256;
  EXPECT_EQ(options.preferred_sub_group_size(0), 8u);
  EXPECT_EQ(options.preferred_sub_group_size(32), 32u);
  options.sub_group_size = 4;
  EXPECT_EQ(options.preferred_sub_group_size(0), 4u);
  options.lanes = false;
  EXPECT_EQ(options.preferred_sub_group_size(0), 1u);
  EXPECT_EQ(options.sub_group_sizes(), std::vector<uint32_t>{1});
}

TEST(CodeOptions, SubGroupsOfAnNvidiaGpuAreWarps) {
  CodeOptions options;
  options.target = *find_nvidia_target("sm_90");
  EXPECT_EQ(options.sub_group_sizes(), std::vector<uint32_t>{32});
}

std::shared_ptr<const KernelModule> build(const char *source) {
  std::string log;
  auto built = build_opencl_c(source, "-cl-std=CL3.0", log);
  EXPECT_TRUE(built) << log;
  return built ? std::make_shared<const KernelModule>(std::move(*built)) : nullptr;
}

TEST(CodeOptions, TwoWaysOfOneProgramShareItsVariables) {
  auto module = build(R"(
    global int calls = 40;
    kernel void count(global int *out) {
      out[get_global_id(0)] = (int)get_global_id(0) + calls;
      if (get_global_id(0) == 7)
        ++calls;
    })");
  ASSERT_TRUE(module);
  CodeOptions narrow = code_options_of_process(), wide = narrow;
  narrow.lanes = wide.lanes = true;
  narrow.form = wide.form = WantedForm::looped;
  narrow.target = least_target();
  narrow.sub_group_size = 2;
  wide.sub_group_size = 8;
  auto one = ProgramCode::create(module, narrow);
  ASSERT_TRUE(one);
  auto other = (*one)->with(wide);
  auto narrow_code = (*one)->kernel("count", {{8, 1, 1}});
  auto wide_code = other->kernel("count", {{8, 1, 1}});
  ASSERT_TRUE(narrow_code && wide_code);
  EXPECT_EQ((*narrow_code)->sub_group_size, 2u);
  EXPECT_EQ((*wide_code)->sub_group_size, 8u);
  int out[8], *argument = out;
  run_one_group(**narrow_code, 8, &argument);
  for (int i = 0; i != 7; ++i)
    EXPECT_EQ(out[i], 40 + i);
  run_one_group(**wide_code, 8, &argument);
  for (int i = 0; i != 7; ++i)
    EXPECT_EQ(out[i], 41 + i);
}

TEST(CodeOptions, AFailureIsKeptWhereTryingAgainWouldFailAgain) {
  auto module = build("kernel void k(global int *out) { int huge[1 << 27]; huge[out[0]] = 1;"
                      "  out[1] = huge[out[2]]; }");
  ASSERT_TRUE(module);
  auto program = ProgramCode::create(module);
  ASSERT_TRUE(program);
  for (int attempt = 0; attempt != 2; ++attempt) {
    auto code = (*program)->kernel("k", {{64, 1, 1}});
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().kind, ErrorKind::out_of_resources) << code.error().message;
  }
}

} // namespace
} // namespace lockstep::compiler
