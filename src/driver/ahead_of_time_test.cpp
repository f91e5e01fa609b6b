// Tests code that is made ahead of time: which processors and launches it serves, that it runs, and
// that nothing else is loaded.
#include "driver/ahead_of_time.h"

#include "compiler/options/target.h"
#include "driver/compile.h"
#include "driver/finished_code.h"
#include "driver/run_one_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace lockstep::compiler {
namespace {

using testing::HasSubstr;

const bool is_uncached = [] { return setenv("LOCKSTEP_CACHE", "0", 1) == 0; }();

// The processor whose code this process takes: LOCKSTEP_CPU may name one with less than this
// machine has, which does not take code for this machine.
std::string own_processor() {
  const char *chosen = std::getenv("LOCKSTEP_CPU");
  return chosen ? chosen : "native";
}

KernelModule build(const char *source) {
  std::string log;
  auto module = build_opencl_c(source, "-cl-std=CL3.0", log);
  EXPECT_TRUE(module) << log;
  return module ? std::move(*module) : KernelModule();
}

std::string machine_code(const KernelModule &module, std::vector<std::string> processors,
                         std::vector<std::array<uint32_t, 3>> sizes = {}) {
  std::vector<std::string> notes;
  auto code = compile_ahead_of_time(module, {std::move(processors), std::move(sizes)}, notes);
  EXPECT_TRUE(code) << code.error().message;
  EXPECT_TRUE(notes.empty()) << notes.front();
  return code ? std::move(*code) : std::string();
}

std::shared_ptr<const FinishedCode> read(const std::string &code, const TargetInfo &target,
                                         std::string &reason) {
  CodeOptions options;
  options.target = target;
  return read_ahead_of_time(code, options, reason);
}

constexpr const char *squares = "int offset = 3;\n"
                                "kernel void squares(global int *out) {\n"
                                "  int i = get_global_id(0);\n"
                                "  out[i] = i * i + offset;\n"
                                "}\n"
                                "kernel void reads_offset(global int *out) { *out = offset++; }";

TEST(AheadOfTime, TheCodeRunsAndNoneIsCompiled) {
  auto module = std::make_shared<KernelModule>(build(squares));
  module->machine_code = machine_code(*module, {own_processor()}, {{96, 1, 1}});
  auto program = ProgramCode::create(module);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_TRUE((*program)->is_finished("squares", {{96, 1, 1}}));
  EXPECT_TRUE((*program)->is_finished("squares", {{95, 1, 1}})); // by the code for any size
  EXPECT_FALSE((*program)->is_finished("cubes", {{96, 1, 1}}));
  const auto sizes = (*program)->finished_local_sizes("squares");
  ASSERT_FALSE(sizes.empty());
  EXPECT_EQ(sizes.front(), (std::array<uint32_t, 3>{96, 1, 1}));
  for (uint32_t items : {96u, 95u}) {
    auto code = (*program)->kernel("squares", {{items, 1, 1}});
    ASSERT_TRUE(code) << code.error().message;
    std::vector<int> out(items + 1, -1);
    const int *argument = out.data();
    run_one_group(**code, items, &argument);
    for (int i = 0; i < int(items); ++i)
      EXPECT_EQ(out[i], i * i + 3);
    EXPECT_EQ(out[items], -1);
  }
}

TEST(AheadOfTime, KernelsShareTheVariablesOfTheProgram) {
  auto module = std::make_shared<KernelModule>(build(squares));
  module->machine_code = machine_code(*module, {own_processor()});
  auto program = ProgramCode::create(module);
  ASSERT_TRUE(program);
  int out = 0;
  const int *argument = &out;
  for (int expected : {3, 4}) {
    auto code = (*program)->kernel("reads_offset", {{1, 1, 1}});
    ASSERT_TRUE(code);
    run_one_group(**code, 1, &argument);
    EXPECT_EQ(out, expected);
  }
  auto other = (*program)->kernel("squares", {{1, 1, 1}});
  ASSERT_TRUE(other);
  run_one_group(**other, 1, &argument);
  EXPECT_EQ(out, 5);
}

TEST(AheadOfTime, ARequiredLocalSizeGetsCodeForThisSizeOnly) {
  KernelModule module = build(
      "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void a(global int *o) { *o = 1; }");
  std::string reason;
  const CodeOptions &options = code_options_of_process();
  auto code = read(machine_code(module, {own_processor()}), options.target, reason);
  ASSERT_TRUE(code) << reason;
  for (const FinishedKernel &one : code->kernels)
    EXPECT_EQ(one.specialization.local_size, (std::array<uint32_t, 3>{8, 4, 1}));
}

#ifdef __x86_64__
TEST(AheadOfTime, TheProcessorWithMostInstructionsThatAreThereIsTaken) {
  const std::string code = machine_code(build(squares), {"x86-64", "x86-64-v3", "x86-64-v2"});
  std::string reason;
  auto on = [&](const char *processor) {
    auto found = read(code, find_target(processor), reason);
    return found ? found->target.cpu : "none";
  };
  EXPECT_EQ(on("x86-64"), "x86-64");
  EXPECT_EQ(on("nehalem"), "x86-64-v2");
  EXPECT_EQ(on("znver2"), "x86-64-v3");
  EXPECT_EQ(on("x86-64-v4"), "x86-64-v3");
}

TEST(AheadOfTime, CodeForOtherProcessorsIsNotTaken) {
  const std::string code = machine_code(build(squares), {"x86-64-v4"});
  std::string reason;
  EXPECT_FALSE(read(code, find_target("znver2"), reason));
  EXPECT_THAT(reason, HasSubstr("znver2 does not have all instructions"));
  EXPECT_THAT(reason, HasSubstr("x86-64-v4"));
  // The same processor without one of its features, as under a hypervisor.
  TargetInfo masked = find_target("x86-64-v4");
  masked.features = "-avx512vl";
  EXPECT_TRUE(runs_on(masked, find_target("x86-64-v4")));
  EXPECT_FALSE(runs_on(find_target("x86-64-v4"), masked));
}
#endif

TEST(AheadOfTime, OtherOptionsAndOtherBuildsCompile) {
  const std::string code = machine_code(build(squares), {own_processor()});
  std::string reason;
  CodeOptions options = code_options_of_process();
  options.check = true;
  EXPECT_FALSE(read_ahead_of_time(code, options, reason));
  EXPECT_THAT(reason, HasSubstr("default options"));
  std::string of_another_build = code;
  of_another_build[8] = char(of_another_build[8] ^ 1); // the build ID follows its length
  const TargetInfo &target = code_options_of_process().target;
  EXPECT_FALSE(read(of_another_build, target, reason));
  EXPECT_THAT(reason, HasSubstr("another build"));
}

TEST(AheadOfTime, DamagedCodeIsNotRead) {
  const std::string code = machine_code(build(squares), {own_processor()});
  const TargetInfo &target = code_options_of_process().target;
  std::string reason;
  ASSERT_TRUE(read(code, target, reason)) << reason;
  for (std::size_t size = 1; size < code.size(); size += 97)
    EXPECT_FALSE(read(code.substr(0, size), target, reason)) << size;
}

TEST(AheadOfTime, UnknownProcessorsAreErrors) {
  std::vector<std::string> notes;
  auto code = compile_ahead_of_time(build(squares), {{"pentium-42"}, {}}, notes);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(code.error().message, HasSubstr("'pentium-42' is not a processor"));
}

// ---- which code serves

FinishedKernel kernel_for(std::array<uint32_t, 3> size,
                          std::array<uint32_t, 3> groups = single_group) {
  FinishedKernel kernel{"k", {size}, {}};
  kernel.code.facts.groups_at_once = groups;
  return kernel;
}

TEST(AheadOfTime, ManyGroupsAtOnceNeedLaunchesThatOfferThem) {
  FinishedCode code;
  code.kernels = {kernel_for({0, 0, 0}), kernel_for({64, 1, 1}), kernel_for({64, 1, 1}, {4, 1, 1})};
  EXPECT_EQ(code.find("k", {{64, 1, 1}}), &code.kernels[1]);
  EXPECT_EQ(code.find("k", {{64, 1, 1}, {2, 1, 1}}), &code.kernels[1]);
  EXPECT_EQ(code.find("k", {{64, 1, 1}, {4, 1, 1}}), &code.kernels[2]);
  EXPECT_EQ(code.find("k", {{64, 1, 1}, {8, 8, 1}}), &code.kernels[2]);
  EXPECT_EQ(code.find("k", {{32, 1, 1}, {8, 8, 1}}), &code.kernels[0]);
  EXPECT_EQ(code.find("other", {{64, 1, 1}}), nullptr);
}

TEST(AheadOfTime, CodeThatPrivatizesServesOnlyLaunchesThatDo) {
  FinishedCode code;
  code.kernels = {kernel_for({64, 1, 1}), kernel_for({64, 1, 1})};
  code.kernels[1].code.facts.privatized_reductions = {{.argument = 2}};
  Specialization wanted{{64, 1, 1}};
  EXPECT_EQ(code.find("k", wanted), &code.kernels[1]);
  wanted.unprivatized_arguments = 1 << 1;
  EXPECT_EQ(code.find("k", wanted), &code.kernels[1]);
  wanted.unprivatized_arguments = 1 << 2;
  EXPECT_EQ(code.find("k", wanted), &code.kernels[0]);
}

TEST(AheadOfTime, WhatOnlyTheLaunchKnowsNeedsACompilation) {
  const FinishedKernel kernel = kernel_for({0, 0, 0});
  Specialization wanted{{64, 1, 1}};
  wanted.images = {5}; // the code reads formats when it runs
  EXPECT_TRUE(kernel.serves(wanted));
  wanted.local_arguments = {{}};
  EXPECT_FALSE(kernel.serves(wanted));
}

} // namespace
} // namespace lockstep::compiler
