// Tests boxes_overlap against a reference that marks bytes. It may report an overlap where there is
// none (appendix D allows it), but must not miss one.
#include "api/opencl/rect.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

namespace lockstep::opencl {
namespace {

using Triple = std::array<size_t, 3>;

bool share_bytes(size_t first, size_t second, const Triple &region, size_t row, size_t slice) {
  std::vector<bool> touched(first + second + region[2] * slice + region[1] * row + region[0] + 1);
  auto visit = [&](size_t start, auto action) {
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        for (size_t x = 0; x < region[0]; ++x)
          action(start + z * slice + y * row + x);
  };
  visit(first, [&](size_t at) { touched[at] = true; });
  bool shared = false;
  visit(second, [&](size_t at) { shared |= touched[at]; });
  return shared;
}

TEST(Rect, EverySharedByteIsAnOverlap) {
  std::mt19937 random(7);
  auto pick = [&](size_t from, size_t to) { return from + random() % (to - from + 1); };
  unsigned apart = 0;
  for (int round = 0; round < 20000; ++round) {
    Triple region{pick(1, 6), pick(1, 4), pick(1, 3)};
    size_t row = region[0] + pick(0, 8), slice = row * (region[1] + pick(0, 3));
    // Boxes do not wrap: the box fits in the row and the slice of its origin.
    auto start = [&] {
      return pick(0, 3) * slice + pick(0, slice / row - region[1]) * row + pick(0, row - region[0]);
    };
    size_t first = start(), second = start();
    bool overlap = boxes_overlap(first, second, region.data(), row, slice);
    if (share_bytes(first, second, region, row, slice))
      ASSERT_TRUE(overlap) << round;
    apart += !overlap;
  }
  EXPECT_GT(apart, 5000u) << "it must also see when boxes are apart";
}

TEST(Rect, BoxesBesideEachOtherAreApart) {
  const size_t region[3] = {4, 4, 2};
  EXPECT_FALSE(boxes_overlap(0, 4, region, 8, 64));   // interleaved rows
  EXPECT_FALSE(boxes_overlap(0, 32, region, 8, 64));  // interleaved slices
  EXPECT_FALSE(boxes_overlap(0, 128, region, 8, 64)); // after the first box
  EXPECT_TRUE(boxes_overlap(0, 3, region, 8, 64));
  EXPECT_TRUE(boxes_overlap(0, 0, region, 8, 64));
  EXPECT_TRUE(boxes_overlap(64, 0, region, 8, 64));
}

TEST(Rect, EndThatOverflowsIsNone) {
  const size_t region[3] = {4, 2, 2};
  EXPECT_EQ(end_of({{1, 2, 3}, 8, 64}, region), 4 * 64 + 3 * 8 + 1 + 4u);
  size_t big = std::numeric_limits<size_t>::max();
  EXPECT_EQ(end_of({{big, 0, 0}, 8, 64}, region), std::nullopt);
  EXPECT_EQ(end_of({{0, big / 8, 0}, 8, 64}, region), std::nullopt);
  EXPECT_EQ(end_of({{0, 0, big / 2}, 8, 64}, region), std::nullopt);
  const size_t deep[3] = {1, 1, big};
  EXPECT_EQ(end_of({{0, 0, 1}, 1, 1}, deep), std::nullopt);
}

TEST(Rect, PitchesOfZeroAreDense) {
  const size_t region[3] = {5, 3, 2}, origin[3] = {1, 2, 3};
  runtime::RectSide side = resolve_pitches({"src", origin, 0, 0}, region);
  EXPECT_EQ(side.row_pitch, 5u);
  EXPECT_EQ(side.slice_pitch, 15u);
  EXPECT_FALSE(check_pitches({"src", origin, 0, 0}, region));
  EXPECT_FALSE(check_pitches({"src", origin, 7, 28}, region));
  EXPECT_EQ(check_pitches({"src", origin, 4, 0}, region).code, CL_INVALID_VALUE);
  EXPECT_EQ(check_pitches({"src", origin, 7, 20}, region).code, CL_INVALID_VALUE);
  EXPECT_EQ(check_pitches({"src", origin, 7, 29}, region).code, CL_INVALID_VALUE);
}

} // namespace
} // namespace lockstep::opencl
