#include "runtime/launch/cpu/resumable/group_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::runtime {
namespace {

TEST(GroupOrders, AreAscendingByDefault) {
  const GroupOrder order;
  for (uint64_t i : {0, 1, 77})
    EXPECT_EQ(order.group(i), i);
}

TEST(GroupOrders, AreRandomPermutations) {
  for (uint64_t groups : {1, 2, 3, 5, 64, 1000, 4097}) {
    const GroupOrder order(groups, 7), other(groups, 8);
    std::vector<int> seen(groups);
    uint64_t fixed = 0, equal = 0;
    for (uint64_t i = 0; i < groups; ++i) {
      const uint64_t group = order.group(i);
      ASSERT_LT(group, groups);
      ++seen[group];
      fixed += group == i;
      equal += group == other.group(i);
    }
    for (int count : seen)
      ASSERT_EQ(count, 1);
    if (groups >= 64) {
      EXPECT_LT(fixed, groups / 8);
      EXPECT_LT(equal, groups / 8);
    }
  }
}

TEST(GroupOrders, AreReadFromText) {
  EXPECT_EQ(parse_schedule("shuffle:12"), 12u);
  EXPECT_EQ(parse_schedule("shuffle:0"), 0u);
  EXPECT_FALSE(parse_schedule("shuffle:"));
  EXPECT_FALSE(parse_schedule("shuffle"));
  EXPECT_FALSE(parse_schedule("shuffle:x"));
}

} // namespace
} // namespace lockstep::runtime
