#include "runtime/launch/cpu/kernel/local_size.h"

#include <gtest/gtest.h>

#include <random>

namespace lockstep::runtime {
namespace {

using Size = std::array<uint64_t, 3>;

LaunchGeometry launch(uint32_t dimensions, Size global) {
  return {.work_dim = dimensions, .global_offset = {}, .global_size = global, .local_size = {}};
}

const LocalSizeLimits sixteen_workers{.max_group_size = 1024,
                                      .max_item_sizes = {1024, 1024, 64},
                                      .workers = 16,
                                      .sub_group_size = 16};

TEST(LocalSize, RequiredSizeWins) {
  compiler::KernelInfo kernel;
  kernel.reqd_work_group_size = {8, 4, 2};
  EXPECT_EQ(choose_local_size(kernel, launch(3, {64, 64, 64}), sixteen_workers), (Size{8, 4, 2}));
}

TEST(LocalSize, HintIsTakenIfPossible) {
  compiler::KernelInfo kernel;
  kernel.work_group_size_hint = {32, 2, 1};
  EXPECT_EQ(choose_local_size(kernel, launch(2, {64, 64, 1}), sixteen_workers), (Size{32, 2, 1}));
  Size other = choose_local_size(kernel, launch(2, {33, 64, 1}), sixteen_workers);
  EXPECT_NE(other, (Size{32, 2, 1}));
}

TEST(LocalSize, LargeLaunchesGetLargeGroupsOfWholeSubGroups) {
  compiler::KernelInfo kernel;
  EXPECT_EQ(choose_local_size(kernel, launch(1, {1 << 20, 1, 1}), sixteen_workers),
            (Size{256, 1, 1}));
  EXPECT_EQ(choose_local_size(kernel, launch(1, {1 << 24, 1, 1}), sixteen_workers),
            (Size{1024, 1, 1}));
  EXPECT_EQ(choose_local_size(kernel, launch(1, {1'000'003, 1, 1}), sixteen_workers)[0] % 16, 0u);
}

TEST(LocalSize, SmallLaunchesLeaveGroupsForAllWorkers) {
  compiler::KernelInfo kernel;
  Size local = choose_local_size(kernel, launch(1, {4096, 1, 1}), sixteen_workers);
  EXPECT_GE(4096 / local[0], 4u * 16);
  EXPECT_EQ(local[0] % 16, 0u);
  EXPECT_EQ(choose_local_size(kernel, launch(1, {1, 1, 1}), sixteen_workers), (Size{1, 1, 1}));
  EXPECT_EQ(choose_local_size(kernel, launch(1, {0, 1, 1}), sixteen_workers), (Size{1, 1, 1}));
}

TEST(LocalSize, UniformGroupsDivideTheGlobalSize) {
  compiler::KernelInfo kernel;
  kernel.uniform_work_group_size = true;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Size global{1 + random() % 3000, 1 + random() % 300, 1 + random() % 30};
    uint32_t dimensions = 1 + random() % 3;
    Size local = choose_local_size(kernel, launch(dimensions, global), sixteen_workers);
    for (uint32_t d = 0; d < 3; ++d)
      ASSERT_EQ(d < dimensions ? global[d] % local[d] : local[d] - 1, 0u);
  }
}

// 1021 and 997 are primes: groups of 1 divide, too, but leave lanes empty.
TEST(LocalSize, UniformGroupsFillLanesIfTheyCan) {
  compiler::KernelInfo kernel;
  kernel.uniform_work_group_size = true;
  EXPECT_EQ(choose_local_size(kernel, launch(1, {1021 * 997, 1, 1}), sixteen_workers),
            (Size{997, 1, 1}));
  EXPECT_EQ(choose_local_size(kernel, launch(1, {2 * 331 * 1009, 1, 1}), sixteen_workers),
            (Size{331, 1, 1}));
  EXPECT_EQ(choose_local_size(kernel, launch(1, {1'000'003, 1, 1}), sixteen_workers),
            (Size{1, 1, 1}));
}

// 250 of 256 lanes work, and each sub-group is inside one row.
TEST(LocalSize, RowsThatNearlyFillTheirLanesAreGroups) {
  compiler::KernelInfo kernel;
  for (bool uniform : {false, true}) {
    kernel.uniform_work_group_size = uniform;
    EXPECT_EQ(choose_local_size(kernel, launch(3, {250, 250, 250}), sixteen_workers),
              (Size{250, 1, 1}));
  }
  EXPECT_EQ(choose_local_size(kernel, launch(2, {2 * 331, 3 * 1000, 1}), sixteen_workers),
            (Size{331, 1, 1}));
  EXPECT_EQ(choose_local_size(kernel, launch(2, {2 * 577, 3 * 1000, 1}), sixteen_workers),
            (Size{577, 1, 1}));
  EXPECT_EQ(choose_local_size(kernel, launch(2, {5, 64, 1}), sixteen_workers)[0], 5u);
  EXPECT_GT(choose_local_size(kernel, launch(2, {5, 1 << 20, 1}), sixteen_workers)[1], 1u);
}

TEST(LocalSize, IsAlwaysPossible) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    compiler::KernelInfo kernel;
    kernel.uniform_work_group_size = random() % 2;
    kernel.work_group_size_hint = {uint32_t(random() % 2000), uint32_t(1 + random() % 3), 1};
    LocalSizeLimits limits = sixteen_workers;
    limits.sub_group_size = 1u << random() % 6;
    limits.workers = 1 + random() % 64;
    Size global;
    for (auto &size : global)
      size = 1 + (random() >> (20 + random() % 44));
    Size local = choose_local_size(kernel, launch(1 + random() % 3, global), limits);
    ASSERT_GE(local[0] * local[1] * local[2], 1u);
    ASSERT_LE(local[0] * local[1] * local[2], limits.max_group_size);
    for (int d = 0; d < 3; ++d)
      ASSERT_LE(local[d], limits.max_item_sizes[d]);
  }
}

TEST(LocalSize, TheDeviceLimitsGroupsOfVeryManyWorkItems) {
  LocalSizeLimits limits = sixteen_workers;
  limits.many_items = 256;
  EXPECT_EQ(choose_local_size({}, launch(1, {1 << 24, 1, 1}), limits), (Size{256, 1, 1}));
  compiler::KernelInfo uniform;
  uniform.uniform_work_group_size = true;
  EXPECT_EQ(choose_local_size(uniform, launch(2, {3000, 3000, 1}), limits), (Size{250, 1, 1}));
  // No divisor up to 256 fills a sub-group.
  EXPECT_EQ(choose_local_size(uniform, launch(2, {509, 16384, 1}), limits)[0], 509u);
}

TEST(LocalSize, RowsAreDividedIntoGroupsWithFewIdleLanes) {
  EXPECT_EQ(choose_local_size({}, launch(2, {1000, 1000, 1}), sixteen_workers), (Size{250, 1, 1}));
  EXPECT_EQ(choose_local_size({}, launch(2, {999, 1000, 1}), sixteen_workers), (Size{111, 1, 1}));
  // One edge group costs less. Rows of a prime have edge groups, which should be small.
  EXPECT_EQ(choose_local_size({}, launch(1, {100'008, 1, 1}), sixteen_workers), (Size{256, 1, 1}));
  EXPECT_EQ(choose_local_size({}, launch(2, {997, 1000, 1}), sixteen_workers), (Size{64, 4, 1}));
}

TEST(LocalSize, SquaresAreRowsOfOneLineOfTheCache) {
  LocalSizeLimits limits = sixteen_workers;
  limits.prefers_squares = true;
  EXPECT_EQ(choose_local_size({}, launch(2, {4096, 4096, 1}), limits), (Size{16, 64, 1}));
  EXPECT_EQ(choose_local_size({}, launch(2, {1024, 1024, 1}), limits), (Size{16, 16, 1}));
  EXPECT_EQ(choose_local_size({}, launch(2, {1000, 1000, 1}), limits)[0], 16u);
  limits.sub_group_size = 8;
  EXPECT_EQ(choose_local_size({}, launch(2, {1024, 1024, 1}), limits), (Size{16, 16, 1}));
  // Too few rows, or none.
  EXPECT_EQ(choose_local_size({}, launch(2, {1 << 20, 3, 1}), limits), (Size{256, 1, 1}));
  EXPECT_EQ(choose_local_size({}, launch(1, {1 << 20, 1, 1}), limits), (Size{256, 1, 1}));
  compiler::KernelInfo uniform;
  uniform.uniform_work_group_size = true;
  EXPECT_EQ(choose_local_size(uniform, launch(2, {1000, 1000, 1}), limits), (Size{8, 25, 1}));
}

// ---- sizes for which code was made ahead of time

Size preferred(Size usual, const Size &global, uint32_t dimensions,
               const compiler::KernelInfo &kernel = {}) {
  constexpr std::array<uint32_t, 3> finished[] = {{64, 1, 1}, {256, 1, 1}, {16, 16, 1}};
  LaunchGeometry geometry;
  geometry.work_dim = dimensions;
  geometry.global_size = global;
  return prefer_finished(usual, finished, kernel, geometry);
}

TEST(FinishedLocalSize, IsTheLargestThatDividesAndIsNotLargerThanUsual) {
  EXPECT_EQ(preferred({256, 1, 1}, {4096, 1, 1}, 1), (Size{256, 1, 1}));
  EXPECT_EQ(preferred({1024, 1, 1}, {1 << 24, 1, 1}, 1), (Size{256, 1, 1}));
  EXPECT_EQ(preferred({100, 1, 1}, {6400, 1, 1}, 1), (Size{64, 1, 1}));
  EXPECT_EQ(preferred({160, 1, 1}, {640, 480, 1}, 2), (Size{64, 1, 1}));
  EXPECT_EQ(preferred({240, 1, 1}, {240, 480, 1}, 2), (Size{64, 1, 1}));    // 16 x 16 is larger
  EXPECT_EQ(preferred({250, 2, 1}, {1000, 1000, 1}, 2), (Size{256, 1, 1})); // none divides
  EXPECT_EQ(preferred({250, 2, 1}, {1008, 1008, 1}, 2), (Size{16, 16, 1}));
}

TEST(FinishedLocalSize, IsTheUsualSizeIfNoneFits) {
  EXPECT_EQ(preferred({32, 1, 1}, {4096, 1, 1}, 1), (Size{32, 1, 1}));
  EXPECT_EQ(preferred({64, 1, 1}, {48, 1, 1}, 1), (Size{64, 1, 1}));
  compiler::KernelInfo kernel;
  kernel.uniform_work_group_size = true; // no edge groups
  EXPECT_EQ(preferred({100, 1, 1}, {1000, 1, 1}, 1, kernel), (Size{100, 1, 1}));
}

} // namespace
} // namespace lockstep::runtime
