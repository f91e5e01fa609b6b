// Every transfer is run part by part in random order and compared with a loop over bytes.
#include "runtime/memory/transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace lockstep::runtime {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::mt19937 &random, std::size_t size) {
  Bytes bytes(size);
  for (auto &b : bytes)
    b = std::byte(random());
  return bytes;
}

void run_in_random_chunks(HostOperation &operation, std::mt19937 &random) {
  std::vector<std::pair<uint64_t, uint64_t>> chunks;
  for (uint64_t begin = 0, parts = operation.parts(); begin < parts;) {
    uint64_t end = std::min<uint64_t>(parts, begin + 1 + random() % 3);
    chunks.emplace_back(begin, end);
    begin = end;
  }
  std::shuffle(chunks.begin(), chunks.end(), random);
  for (auto [begin, end] : chunks)
    ASSERT_TRUE(operation.run(begin, end));
}

TEST(Copy, OfAnySize) {
  std::mt19937 random(1);
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, in_place_bytes, in_place_bytes + 1,
                           bytes_per_part, bytes_per_part + 1, 5 * bytes_per_part - 3}) {
    Bytes from = random_bytes(random, size + 1), to(size + 1);
    Copy copy({to.data(), size}, {from.data(), size});
    EXPECT_EQ(copy.runs_in_place(), size <= in_place_bytes);
    run_in_random_chunks(copy, random);
    EXPECT_TRUE(std::equal(from.begin(), from.begin() + size, to.begin())) << size;
    EXPECT_EQ(to[size], std::byte{}) << size;
  }
}

TEST(Fill, OfAnyPattern) {
  std::mt19937 random(2);
  for (std::size_t pattern_size : {1, 2, 3, 4, 8, 12, 16, 32, 64, 128})
    for (std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{1000},
                              2 * bytes_per_part / pattern_size + 5}) {
      Bytes pattern = random_bytes(random, pattern_size);
      std::size_t size = pattern_size * count;
      Bytes to(size + 1);
      Fill fill({to.data(), size}, pattern.data(), pattern_size);
      run_in_random_chunks(fill, random);
      for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(to[i], pattern[i % pattern_size]) << pattern_size << ' ' << count << ' ' << i;
      EXPECT_EQ(to[size], std::byte{});
    }
}

TEST(Fill, WithEqualBytes) {
  Bytes to(1000);
  const int pattern = 0x05050505;
  Fill fill({to.data(), 1000}, &pattern, 4);
  ASSERT_TRUE(fill.run(0, fill.parts()));
  EXPECT_EQ(std::count(to.begin(), to.end(), std::byte{5}), 1000);
}

struct RandomRect {
  RectSide to, from;
  RectShape shape;
};

RandomRect random_rect(std::mt19937 &random, std::size_t most) {
  RandomRect rect;
  for (auto &size : rect.shape.region)
    size = 1 + random() % most;
  for (RectSide *side : {&rect.to, &rect.from}) {
    for (auto &origin : side->origin)
      origin = random() % 4;
    const auto &region = rect.shape.region;
    // A third of the pitches are the default, a third are dense, a third have gaps.
    if (random() % 3)
      side->row_pitch = region[0] + (random() % 2 ? random() % 9 : 0);
    std::size_t row = side->row_pitch ? side->row_pitch : region[0];
    if (random() % 3)
      side->slice_pitch = row * region[1] + (random() % 2 ? random() % 9 : 0);
  }
  return rect;
}

void naive_copy(Bytes &to, const Bytes &from, RandomRect rect) {
  rect.to = with_default_pitches(rect.to, rect.shape);
  rect.from = with_default_pitches(rect.from, rect.shape);
  auto at = [](const RectSide &side, std::size_t x, std::size_t y, std::size_t z) {
    return (side.origin[2] + z) * side.slice_pitch + (side.origin[1] + y) * side.row_pitch +
           side.origin[0] + x;
  };
  for (std::size_t z = 0; z < rect.shape.region[2]; ++z)
    for (std::size_t y = 0; y < rect.shape.region[1]; ++y)
      for (std::size_t x = 0; x < rect.shape.region[0]; ++x)
        to[at(rect.to, x, y, z)] = from[at(rect.from, x, y, z)];
}

class RandomRects : public testing::TestWithParam<std::size_t> {};

TEST_P(RandomRects, CopyAsANaiveLoopDoes) {
  std::mt19937 random(3);
  const std::size_t most = GetParam();
  for (int round = 0; round < (most > 50 ? 12 : 300); ++round) {
    RandomRect rect = random_rect(random, most);
    std::size_t to_size = end_byte(with_default_pitches(rect.to, rect.shape), rect.shape);
    std::size_t from_size = end_byte(with_default_pitches(rect.from, rect.shape), rect.shape);
    Bytes from = random_bytes(random, from_size), to = random_bytes(random, to_size);
    Bytes expected = to;
    naive_copy(expected, from, rect);
    RectCopy copy({to.data(), to_size}, rect.to, {from.data(), from_size}, rect.from, rect.shape);
    run_in_random_chunks(copy, random);
    ASSERT_TRUE(to == expected) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RandomRects, testing::Values(3, 20, 180));

TEST(RectCopy, OfOneLongRowIsCutIntoParts) {
  std::mt19937 random(4);
  const std::size_t size = 3 * bytes_per_part + 17;
  Bytes from = random_bytes(random, size), to(size);
  RectCopy copy({to.data(), size}, {}, {from.data(), size}, {}, {{size / 17, 17, 1}});
  EXPECT_GT(copy.parts(), 2u);
  run_in_random_chunks(copy, random);
  EXPECT_TRUE(std::equal(from.begin(), from.begin() + size / 17 * 17, to.begin()));
}

} // namespace
} // namespace lockstep::runtime
