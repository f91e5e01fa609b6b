#include "runtime/check/host/access_plane.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::TouchWay;
using Rows = std::vector<std::pair<std::size_t, std::size_t>>;

// Marks like compiled code: an access `from` bytes after the argument's address.
void mark(const TouchPlane &plane, uint32_t unit, const std::byte *origin, std::ptrdiff_t from,
          std::size_t size) {
  for (std::size_t byte = 0; byte < size; byte += unit) {
    const auto step = uint64_t(from + std::ptrdiff_t(byte));
    const uint64_t place = unit == 1 ? plane.place() + reinterpret_cast<uint64_t>(origin) + step
                                     : plane.place() + uint64_t(int64_t(step) / 4);
    *reinterpret_cast<uint8_t *>(place) = 1;
  }
}

Rows rows_of(const TouchPlane &plane) {
  Rows rows;
  for (auto row = plane.next_touched(0); row.begin != row.end; row = plane.next_touched(row.end))
    rows.emplace_back(row.begin, row.end);
  return rows;
}

TEST(TouchPlane, HasNothingAtFirst) {
  const std::vector<std::byte> object(100);
  const TouchPlane plane(TouchWay::reads, 4, object.data(), object);
  EXPECT_NE(plane.place(), 0u);
  EXPECT_EQ(rows_of(plane), Rows());
}

TEST(TouchPlane, HasWordsFromTheBeginningOfTheObject) {
  const std::vector<std::byte> object(1000);
  const std::byte *origin = object.data() + 200; // an argument into it
  const TouchPlane plane(TouchWay::writes, 4, origin, object);
  mark(plane, 4, origin, -200, 4);
  mark(plane, 4, origin, 0, 8);
  mark(plane, 4, origin, 796, 4);
  EXPECT_EQ(rows_of(plane), (Rows{{0, 4}, {200, 208}, {996, 1000}}));
  EXPECT_EQ(plane.end_of_touched(), 1000u);
}

TEST(TouchPlane, HasRowsOfCopiesAsFarAsTheyAreInTheObject) {
  const std::vector<std::byte> object(1000);
  const auto rows = [&object](std::size_t first, std::size_t size, std::size_t count,
                              std::size_t pitch) {
    TouchPlane plane(TouchWay::reads, 4, object.data(), object);
    plane.mark_rows(object.data() + first, size, count, pitch);
    return rows_of(plane);
  };
  EXPECT_EQ(rows(20, 4, 3, 12), (Rows{{20, 24}, {32, 36}, {44, 48}}));
  EXPECT_EQ(rows(20, 4, 3, 4), (Rows{{20, 32}}));
  EXPECT_EQ(rows(20, 100, 2, 400), (Rows{{20, 120}, {420, 520}}));
  EXPECT_EQ(rows(20, 4, 5, 0), (Rows{{20, 24}}));
  EXPECT_EQ(rows(20, 0, 5, 4), Rows());
  EXPECT_EQ(rows(900, 60, 5, 80), (Rows{{900, 960}, {980, 1000}}));
  EXPECT_EQ(rows(996, 4, ~std::size_t(0), 8), (Rows{{996, 1000}}));
}

TEST(TouchPlane, WhatIsTakenIsNotTouchedUntilItIsAgain) {
  const std::vector<std::byte> object(1000);
  const std::byte *origin = object.data() + 200;
  TouchPlane plane(TouchWay::writes, 4, origin, object);
  const auto take = [&plane] {
    Rows rows;
    for (auto row = plane.take(0); row.begin != row.end; row = plane.take(row.end))
      rows.emplace_back(row.begin, row.end);
    return rows;
  };
  mark(plane, 4, origin, -200, 4);
  mark(plane, 4, origin, 0, 8);
  EXPECT_EQ(take(), (Rows{{0, 4}, {200, 208}}));
  EXPECT_EQ(take(), Rows());
  mark(plane, 4, origin, 4, 4);
  EXPECT_EQ(rows_of(plane), (Rows{{204, 208}}));
}

TEST(TouchPlane, OfWordsAtTheEndsItHasTheBytesOfTheObject) {
  const std::vector<std::byte> object(10);
  const std::byte *origin = object.data() + 2;
  const TouchPlane plane(TouchWay::reads, 4, origin, object);
  mark(plane, 4, origin, -4, 4); // the first two bytes are before the object
  EXPECT_EQ(rows_of(plane), (Rows{{0, 2}}));
  mark(plane, 4, origin, 4, 4);
  EXPECT_EQ(rows_of(plane), (Rows{{0, 2}, {6, 10}}));
}

TEST(TouchPlane, WhatLiesBesideTheObjectIsNothing) {
  const std::vector<std::byte> object(64);
  {
    const TouchPlane plane(TouchWay::reads, 4, object.data(), object);
    mark(plane, 4, object.data(), 64, 4);
    mark(plane, 4, object.data(), -4, 4);
    mark(plane, 4, object.data(), 100'000, 4);
    EXPECT_EQ(rows_of(plane), Rows());
  }
  const std::vector<std::byte> larger(4096); // may get the same memory
  const TouchPlane next(TouchWay::reads, 4, larger.data(), larger);
  EXPECT_EQ(rows_of(next), Rows());
}

// Compares accesses of all sizes and positions with a list of bytes.
TEST(TouchPlane, RandomTouches) {
  std::mt19937 random(7);
  auto below = [&random](std::size_t end) { return std::size_t(random()) % end; };
  for (unsigned round = 0; round != 300; ++round) {
    const uint32_t unit = round % 2 ? 1 : 4;
    const std::size_t size = 4 * (1 + below(round % 10 == 0  ? 3'000'000
                                            : round % 3 == 0 ? 30'000
                                                             : 40));
    const std::vector<std::byte> object(size);
    const std::byte *origin = object.data() + 4 * below(size / 4);
    const TouchPlane plane(TouchWay::reads, unit, origin, object);
    std::vector<bool> touched(size + 1);
    for (std::size_t left = below(12); left != 0; --left) {
      const std::size_t begin = unit * below(size / unit);
      const std::size_t length = std::min(size - begin, unit * (1 + below(round % 7 ? 5 : 20'000)));
      mark(plane, unit, origin, object.data() + begin - origin, length);
      std::fill_n(touched.begin() + std::ptrdiff_t(begin), length, true);
    }
    Rows expected;
    for (std::size_t byte = 0, begin = 0; byte <= size; ++byte)
      if (byte != 0 && touched[byte - 1] && !touched[byte])
        expected.emplace_back(begin, byte);
      else if (touched[byte] && (byte == 0 || !touched[byte - 1]))
        begin = byte;
    ASSERT_EQ(rows_of(plane), expected) << "round " << round;
    ASSERT_EQ(plane.end_of_touched(), expected.empty() ? 0 : expected.back().second);
  }
}

} // namespace
} // namespace lockstep::runtime
