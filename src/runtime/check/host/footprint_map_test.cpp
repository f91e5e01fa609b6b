#include "runtime/check/host/footprint_map.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::FootprintKind;
using Rows = std::vector<std::pair<std::size_t, std::size_t>>;

// Marks like compiled code: an access `from` bytes after the argument's address.
void mark(const FootprintMap &map, uint32_t unit, const std::byte *origin, std::ptrdiff_t from,
          std::size_t size) {
  for (std::size_t byte = 0; byte < size; byte += unit) {
    const auto step = uint64_t(from + std::ptrdiff_t(byte));
    const uint64_t place = unit == 1 ? map.place() + reinterpret_cast<uint64_t>(origin) + step
                                     : map.place() + uint64_t(int64_t(step) / 4);
    *reinterpret_cast<uint8_t *>(place) = 1;
  }
}

Rows rows_of(const FootprintMap &map) {
  Rows rows;
  for (auto row = map.next_marked(0); row.begin != row.end; row = map.next_marked(row.end))
    rows.emplace_back(row.begin, row.end);
  return rows;
}

TEST(FootprintMap, HasNothingAtFirst) {
  const std::vector<std::byte> object(100);
  const FootprintMap map(FootprintKind::reads, 4, object.data(), object);
  EXPECT_NE(map.place(), 0u);
  EXPECT_EQ(rows_of(map), Rows());
}

TEST(FootprintMap, HasWordsFromTheBeginningOfTheObject) {
  const std::vector<std::byte> object(1000);
  const std::byte *origin = object.data() + 200; // an argument into it
  const FootprintMap map(FootprintKind::writes, 4, origin, object);
  mark(map, 4, origin, -200, 4);
  mark(map, 4, origin, 0, 8);
  mark(map, 4, origin, 796, 4);
  EXPECT_EQ(rows_of(map), (Rows{{0, 4}, {200, 208}, {996, 1000}}));
  EXPECT_EQ(map.end_of_marked(), 1000u);
}

TEST(FootprintMap, HasRowsOfCopiesAsFarAsTheyAreInTheObject) {
  const std::vector<std::byte> object(1000);
  const auto rows = [&object](std::size_t first, std::size_t size, std::size_t count,
                              std::size_t pitch) {
    FootprintMap map(FootprintKind::reads, 4, object.data(), object);
    map.mark_rows(object.data() + first, size, count, pitch);
    return rows_of(map);
  };
  EXPECT_EQ(rows(20, 4, 3, 12), (Rows{{20, 24}, {32, 36}, {44, 48}}));
  EXPECT_EQ(rows(20, 4, 3, 4), (Rows{{20, 32}}));
  EXPECT_EQ(rows(20, 100, 2, 400), (Rows{{20, 120}, {420, 520}}));
  EXPECT_EQ(rows(20, 4, 5, 0), (Rows{{20, 24}}));
  EXPECT_EQ(rows(20, 0, 5, 4), Rows());
  EXPECT_EQ(rows(900, 60, 5, 80), (Rows{{900, 960}, {980, 1000}}));
  EXPECT_EQ(rows(996, 4, ~std::size_t(0), 8), (Rows{{996, 1000}}));
}

TEST(FootprintMap, WhatIsTakenIsNotTouchedUntilItIsAgain) {
  const std::vector<std::byte> object(1000);
  const std::byte *origin = object.data() + 200;
  FootprintMap map(FootprintKind::writes, 4, origin, object);
  const auto take = [&map] {
    Rows rows;
    for (auto row = map.take(0); row.begin != row.end; row = map.take(row.end))
      rows.emplace_back(row.begin, row.end);
    return rows;
  };
  mark(map, 4, origin, -200, 4);
  mark(map, 4, origin, 0, 8);
  EXPECT_EQ(take(), (Rows{{0, 4}, {200, 208}}));
  EXPECT_EQ(take(), Rows());
  mark(map, 4, origin, 4, 4);
  EXPECT_EQ(rows_of(map), (Rows{{204, 208}}));
}

TEST(FootprintMap, OfWordsAtTheEndsItHasTheBytesOfTheObject) {
  const std::vector<std::byte> object(10);
  const std::byte *origin = object.data() + 2;
  const FootprintMap map(FootprintKind::reads, 4, origin, object);
  mark(map, 4, origin, -4, 4); // the first two bytes are before the object
  EXPECT_EQ(rows_of(map), (Rows{{0, 2}}));
  mark(map, 4, origin, 4, 4);
  EXPECT_EQ(rows_of(map), (Rows{{0, 2}, {6, 10}}));
}

TEST(FootprintMap, WhatLiesBesideTheObjectIsNothing) {
  const std::vector<std::byte> object(64);
  {
    const FootprintMap map(FootprintKind::reads, 4, object.data(), object);
    mark(map, 4, object.data(), 64, 4);
    mark(map, 4, object.data(), -4, 4);
    mark(map, 4, object.data(), 100'000, 4);
    EXPECT_EQ(rows_of(map), Rows());
  }
  const std::vector<std::byte> larger(4096); // may get the same memory
  const FootprintMap next(FootprintKind::reads, 4, larger.data(), larger);
  EXPECT_EQ(rows_of(next), Rows());
}

// A map of the largest kept size, which few pages suffice for.
TEST(FootprintMap, LargeOnesAreClearAgain) {
  const std::vector<std::byte> object(std::size_t(6) << 20), smaller(std::size_t(5) << 20);
  for (int i = 0; i < 3; ++i) {
    {
      const FootprintMap map(FootprintKind::reads, 4, object.data(), object);
      EXPECT_EQ(rows_of(map), Rows());
      mark(map, 4, object.data(), std::ptrdiff_t(object.size()) - 8, 8);
      EXPECT_EQ(rows_of(map), (Rows{{object.size() - 8, object.size()}}));
    }
    const FootprintMap map(FootprintKind::reads, 4, smaller.data(), smaller);
    EXPECT_EQ(rows_of(map), Rows());
    mark(map, 4, smaller.data(), std::ptrdiff_t(smaller.size()) + 8, 8);
  }
}

// Compares accesses of all sizes and positions with a list of bytes.
TEST(FootprintMap, RandomTouches) {
  std::mt19937 random(7);
  auto below = [&random](std::size_t end) { return std::size_t(random()) % end; };
  for (unsigned round = 0; round != 300; ++round) {
    const uint32_t unit = round % 2 ? 1 : 4;
    const std::size_t size = 4 * (1 + below(round % 10 == 0  ? 3'000'000
                                            : round % 3 == 0 ? 30'000
                                                             : 40));
    const std::vector<std::byte> object(size);
    const std::byte *origin = object.data() + 4 * below(size / 4);
    const FootprintMap map(FootprintKind::reads, unit, origin, object);
    std::vector<bool> marked(size + 1);
    for (std::size_t left = below(12); left != 0; --left) {
      const std::size_t begin = unit * below(size / unit);
      const std::size_t length = std::min(size - begin, unit * (1 + below(round % 7 ? 5 : 20'000)));
      mark(map, unit, origin, object.data() + begin - origin, length);
      std::fill_n(marked.begin() + std::ptrdiff_t(begin), length, true);
    }
    Rows expected;
    for (std::size_t byte = 0, begin = 0; byte <= size; ++byte)
      if (byte != 0 && marked[byte - 1] && !marked[byte])
        expected.emplace_back(begin, byte);
      else if (marked[byte] && (byte == 0 || !marked[byte - 1]))
        begin = byte;
    ASSERT_EQ(rows_of(map), expected) << "round " << round;
    ASSERT_EQ(map.end_of_marked(), expected.empty() ? 0 : expected.back().second);
  }
}

} // namespace
} // namespace lockstep::runtime
