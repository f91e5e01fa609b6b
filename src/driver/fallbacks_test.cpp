// Tests when each fallback applies, what it changes, and that attempts end.
#include "driver/fallbacks.h"
#include "kernel_ir/limits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::compiler {
namespace {

// The features that give vectors of 512 bits, and the widths that LLVM can be kept to without them.
#if defined(__aarch64__)
constexpr const char *widest = "+sve", *narrower = "+sve,-sve";
const std::vector<uint32_t> narrower_widths = {128};
#else
constexpr const char *widest = "+avx512f", *narrower = "+avx512f,-avx512f";
const std::vector<uint32_t> narrower_widths = {256, 128};
#endif

CompileSettings settings_of(uint32_t vector_bits) {
  CompileSettings settings;
  settings.options.target.vector_bits = vector_bits;
  settings.options.target.features = widest;
  settings.specialization.neighbors = {4, 1, 1};
  return settings;
}

CompileOutcome outcome_of(uint32_t lanes, bool size_is_free) {
  CompileOutcome outcome;
  outcome.lanes = lanes;
  outcome.size_is_free = size_is_free;
  return outcome;
}

std::string name_of(const Fallback *fallback) {
  return fallback ? std::string(fallback->name) : "none";
}

TEST(Fallbacks, NoneAppliesToCodeThatIsFine) {
  EXPECT_EQ(name_of(find_fallback(settings_of(512), outcome_of(16, true))), "none");
}

TEST(Fallbacks, LargeCodeGetsTheLanesOfARegisterAndThenOne) {
  const CompileSettings start = settings_of(128);
  CompileSettings tried = start;
  std::vector<uint32_t> sizes;
  CompileOutcome outcome = outcome_of(64, true);
  outcome.is_too_large = true;
  while (const Fallback *fallback = find_fallback(tried, outcome)) {
    ASSERT_EQ(name_of(fallback), "fewer lanes");
    const CompileSettings next = fallback->change(start, tried, outcome);
    sizes.push_back(next.options.sub_group_size);
    if (sizes.size() == 1) {
      EXPECT_EQ(
          fallback->remark(tried, next, outcome),
          "lanes: lowered from 64 to 4: machine code for so many would take too long to generate");
    }
    tried = next;
    outcome.lanes = tried.options.sub_group_size;
  }
  EXPECT_EQ(sizes, (std::vector<uint32_t>{4, 1}));
}

TEST(Fallbacks, LargeCodeThatObservesItsSubGroupsKeepsTheSize) {
  const CompileSettings start = settings_of(128);
  CompileOutcome outcome = outcome_of(64, false);
  outcome.is_too_large = true;
  const Fallback *fallback = find_fallback(start, outcome);
  ASSERT_EQ(name_of(fallback), "serial lanes");
  const CompileSettings next = fallback->change(start, start, outcome);
  EXPECT_TRUE(next.lanes_alone);
  EXPECT_EQ(next.options, start.options);
  EXPECT_EQ(name_of(find_fallback(next, outcome)), "none");
}

TEST(Fallbacks, ACrashLeadsToNarrowerVectorsWithTheSameLanes) {
  const CompileSettings start = settings_of(512);
  CompileSettings tried = start;
  CompileOutcome outcome = outcome_of(8, true);
  outcome.crash = "LLVM crashed: Cannot select\nsecond line";
  std::vector<uint32_t> widths;
  while (const Fallback *fallback = find_fallback(tried, outcome)) {
    ASSERT_EQ(name_of(fallback), "narrower vectors");
    const CompileSettings next = fallback->change(start, tried, outcome);
    widths.push_back(next.options.target.vector_bits);
    EXPECT_EQ(next.options.sub_group_size, 8u);
    if (widths.size() == 1) {
      EXPECT_EQ(fallback->remark(tried, next, outcome),
                "code: made for vectors of " + std::to_string(narrower_widths.front()) +
                    " bits, not 512: LLVM crashed: Cannot select");
      EXPECT_EQ(next.options.target.features, narrower);
    }
    tried = next;
  }
  EXPECT_EQ(widths, narrower_widths);
}

TEST(Fallbacks, ACrashIsNotHiddenWhileTheContractIsVerified) {
  CompileSettings tried = settings_of(512);
  tried.options.verify = true;
  CompileOutcome outcome = outcome_of(8, true);
  outcome.crash = "LLVM crashed";
  EXPECT_EQ(name_of(find_fallback(tried, outcome)), "none");
}

TEST(Fallbacks, TooMuchStackStartsOverWithOneGroup) {
  const CompileSettings start = settings_of(512);
  CompileSettings tried = start;
  tried.options.target.vector_bits = 256;
  tried.options.sub_group_size = 1;
  CompileOutcome outcome = outcome_of(1, true);
  outcome.stack_size = max_stack_size + 1;
  outcome.groups_at_once = {4, 1, 1};
  const Fallback *fallback = find_fallback(tried, outcome);
  ASSERT_EQ(name_of(fallback), "one work-group");
  const CompileSettings next = fallback->change(start, tried, outcome);
  EXPECT_EQ(next.specialization.neighbors, single_group);
  EXPECT_EQ(next.options, start.options);
  outcome.groups_at_once = single_group;
  EXPECT_EQ(name_of(find_fallback(next, outcome)), "none") << "one group cannot get less";
}

TEST(Fallbacks, TheLimitItselfIsAllowed) {
  CompileOutcome outcome = outcome_of(1, true);
  outcome.stack_size = max_stack_size;
  outcome.groups_at_once = {4, 1, 1};
  EXPECT_EQ(name_of(find_fallback(settings_of(512), outcome)), "none");
}

// Whatever each attempt comes to, some attempt is the last.
TEST(Fallbacks, AttemptsEnd) {
  for (const bool size_is_free : {true, false}) {
    const CompileSettings start = settings_of(512);
    CompileSettings tried = start;
    unsigned attempts = 0;
    for (; attempts < 20; ++attempts) {
      const uint32_t size = tried.options.sub_group_size;
      CompileOutcome outcome = outcome_of(size != 0 ? size : 64, size_is_free);
      outcome.is_too_large = true;
      outcome.stack_size = max_stack_size + 1;
      outcome.groups_at_once = tried.specialization.neighbors;
      outcome.crash = "crash";
      const Fallback *fallback = find_fallback(tried, outcome);
      if (!fallback)
        break;
      tried = fallback->change(start, tried, outcome);
    }
    EXPECT_LT(attempts, 20u);
  }
}

} // namespace
} // namespace lockstep::compiler
