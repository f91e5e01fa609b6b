#include "runtime/memory/mapped_regions.h"

#include <gtest/gtest.h>

#include <array>

namespace lockstep::runtime {
namespace {

class MappedRegionsTest : public ::testing::Test {
protected:
  bool add(const void *memory, size_t offset, size_t size, bool for_writing) {
    return regions_.add({memory, bytes_.data() + offset, size, for_writing});
  }
  bool remove(const void *memory, size_t offset) {
    return regions_.remove(memory, bytes_.data() + offset).has_value();
  }

  std::array<std::byte, 100> bytes_{};
  int parent_ = 0, child_ = 0; // stand for memory objects; only their addresses matter
  MappedRegions regions_;
};

TEST_F(MappedRegionsTest, OnlyTwoForWritingMustNotOverlap) {
  EXPECT_TRUE(add(&parent_, 0, 50, false));
  EXPECT_TRUE(add(&parent_, 10, 20, true));
  EXPECT_TRUE(add(&parent_, 0, 100, false));
  EXPECT_FALSE(add(&parent_, 29, 1, true));
  EXPECT_FALSE(add(&child_, 0, 11, true));
  EXPECT_TRUE(add(&child_, 30, 10, true));
  EXPECT_TRUE(add(&child_, 0, 10, true));
  EXPECT_EQ(regions_.count(&parent_), 3u);
  EXPECT_EQ(regions_.count(&child_), 2u);
}

TEST_F(MappedRegionsTest, RefusedRegionLeavesNoTrace) {
  EXPECT_TRUE(add(&parent_, 0, 10, true));
  EXPECT_FALSE(add(&parent_, 5, 10, true));
  EXPECT_EQ(regions_.count(&parent_), 1u);
  EXPECT_FALSE(regions_.contains(&parent_, bytes_.data() + 5));
}

TEST_F(MappedRegionsTest, UnmapsThroughTheSameObjectOnly) {
  EXPECT_TRUE(add(&child_, 0, 10, true));
  EXPECT_FALSE(remove(&parent_, 0));
  EXPECT_FALSE(remove(&child_, 1));
  EXPECT_TRUE(remove(&child_, 0));
  EXPECT_FALSE(remove(&child_, 0));
}

TEST_F(MappedRegionsTest, RegionForWritingGoesFirst) {
  EXPECT_TRUE(add(&parent_, 0, 10, false));
  EXPECT_TRUE(add(&parent_, 0, 10, true));
  EXPECT_TRUE(add(&parent_, 0, 20, false));
  EXPECT_TRUE(remove(&parent_, 0));
  EXPECT_TRUE(add(&parent_, 0, 10, true)) << "the one that is left is for reading";
}

} // namespace
} // namespace lockstep::runtime
