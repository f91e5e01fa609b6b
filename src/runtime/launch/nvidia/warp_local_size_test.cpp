#include "runtime/launch/nvidia/warp_local_size.h"

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

using Size = std::array<uint64_t, 3>;

std::optional<Size> chosen(const std::array<uint32_t, 2> &shape, const Size &global) {
  LaunchGeometry geometry;
  geometry.work_dim = 2;
  geometry.global_size = global;
  return local_size_for_warps(shape, geometry);
}

TEST(WarpLocalSize, GroupsConsistOfWarpsOfTheShape) {
  EXPECT_EQ(chosen({4, 8}, {1024, 1024, 1}), (Size{4, 64, 1}));
  EXPECT_EQ(chosen({1, 32}, {7, 512, 1}), (Size{1, 256, 1}));
  EXPECT_EQ(chosen({8, 4}, {64, 40, 1}), (Size{8, 8, 1})); // 256 work-items do not divide it
}

TEST(WarpLocalSize, RowsAndUnequalGroupsAreLeftToOthers) {
  EXPECT_EQ(chosen({32, 1}, {1024, 1024, 1}), std::nullopt);
  EXPECT_EQ(chosen({4, 8}, {1022, 1024, 1}), std::nullopt);
  EXPECT_EQ(chosen({4, 8}, {1024, 1021, 1}), std::nullopt);
}

} // namespace
} // namespace lockstep::runtime
