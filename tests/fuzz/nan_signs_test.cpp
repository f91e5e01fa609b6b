// Tests the generator: the result of a random program must not depend on the sign of a NaN. IEEE
// 754 leaves that sign open, and LLVM's constant folding and processors differ.
#include "generate.h"
#include "interpret.h"

#include <gtest/gtest.h>

namespace lockstep::fuzz {
namespace {

void expect_same(uint64_t seed, const Capabilities &capabilities = everything()) {
  const Program program = generate(seed, capabilities);
  const Outcome plus = interpret(program, NanSign::plus);
  const Outcome minus = interpret(program, NanSign::minus);
  EXPECT_EQ(plus.illegal, minus.illegal) << "seed " << seed;
  EXPECT_TRUE(plus.memory == minus.memory) << "seed " << seed << ": other values in memory";
  EXPECT_EQ(plus.lines, minus.lines) << "seed " << seed;
}

TEST(RandomPrograms, DoNotDependOnTheSignsOfNans) {
  for (uint64_t seed = 1; seed <= 500; ++seed)
    expect_same(seed);
  // The signs of inf - inf and of inf * 0, on which few programs depend.
  expect_same(140009749);
  Capabilities one_lane = everything();
  one_lane.sub_groups = false;
  expect_same(140014070, one_lane);
}

} // namespace
} // namespace lockstep::fuzz
