#include "support/check_kinds.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(CheckKinds, OneIsRacesAndBarriers) {
  const CheckKinds kinds = check_kinds_of("1");
  EXPECT_TRUE(kinds.races && kinds.barriers && kinds.need_accesses());
  EXPECT_FALSE(kinds.commands || kinds.memory || kinds.undefined || kinds.strictly);
}

TEST(CheckKinds, StrictImpliesRaces) {
  const CheckKinds kinds = check_kinds_of("strict");
  EXPECT_TRUE(kinds.races && kinds.strictly);
  EXPECT_FALSE(kinds.barriers);
}

TEST(CheckKinds, MemoryAndUndefinedNeedNoReportsOfAccesses) {
  const CheckKinds kinds = check_kinds_of("memory,undefined");
  EXPECT_TRUE(kinds.memory && kinds.undefined && kinds.any());
  EXPECT_FALSE(kinds.need_accesses());
}

TEST(CheckKinds, UnknownWordsAreListed) {
  const CheckKinds kinds = check_kinds_of("race,commands,,0");
  EXPECT_TRUE(kinds.commands);
  EXPECT_EQ(kinds.unknown, (std::vector<std::string>{"race", ""}));
}

TEST(CheckKinds, NothingIsNothing) {
  for (const char *text : {"", "0"})
    EXPECT_FALSE(check_kinds_of(text).any());
}

} // namespace
} // namespace lockstep
