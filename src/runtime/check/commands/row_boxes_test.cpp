#include "runtime/check/commands/row_boxes.h"

#include <gtest/gtest.h>

#include <random>

using namespace lockstep::runtime;

namespace {

using Bytes = std::vector<bool>;

void set_rows(const AccessedRows &rows, std::size_t begin, std::size_t depth, Bytes &bytes) {
  if (depth == 0) {
    for (std::size_t byte = 0; byte != rows.size; ++byte)
      bytes.at(begin + byte) = true;
    return;
  }
  const AccessedRows::Step &step = rows.steps[depth - 1];
  for (std::size_t i = 0; i != step.count; ++i)
    set_rows(rows, begin + i * step.bytes, depth - 1, bytes);
}

// The rows are those of the bytes that are set one by one.
void expect_rows(const RowBoxes &boxes, const Bytes &bytes) {
  RowBoxes::Cursor cursor(boxes);
  std::size_t at = 0;
  for (RowBoxes::Row row = cursor.next(); row.begin != row.end; row = cursor.next()) {
    ASSERT_GE(row.begin, at);
    for (; at != row.begin; ++at)
      ASSERT_FALSE(bytes[at]) << at;
    for (; at != row.end; ++at)
      ASSERT_TRUE(bytes[at]) << at;
    ASSERT_FALSE(bytes[at]) << at << ": the row ends too early";
  }
  if (!boxes.is_empty())
    ASSERT_EQ(at, boxes.end());
  for (; at != bytes.size(); ++at)
    ASSERT_FALSE(bytes[at]) << at;
}

TEST(RowBoxes, ShiftedBoxesBecomeOneRow) {
  const auto *memory = reinterpret_cast<const std::byte *>(std::size_t{4096});
  RowBoxes boxes;
  // The eight corners of the cells of a grid of 128 x 128 x 128 words.
  for (std::size_t z : {0, 1})
    for (std::size_t y : {0, 1})
      for (std::size_t x : {0, 1})
        ASSERT_TRUE(boxes.add(
            {memory + ((z * 128 + y) * 128 + x) * 4, 127 * 4, {{512, 127}, {65536, 127}}}, memory));
  RowBoxes::Cursor cursor(boxes);
  const RowBoxes::Row row = cursor.next(), none = cursor.next();
  EXPECT_EQ(row.begin, 0U);
  EXPECT_EQ(row.end, std::size_t{128} * 128 * 128 * 4);
  EXPECT_EQ(none.begin, none.end);
}

TEST(RowBoxes, RandomBoxes) {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t end) { return std::size_t(random() % end); };
  const auto *memory = reinterpret_cast<const std::byte *>(std::size_t{4096});
  unsigned added = 0;
  for (unsigned round = 0; round != 5000; ++round) {
    RowBoxes boxes;
    Bytes bytes(20000);
    const std::size_t pitch = 16 + below(40);
    for (std::size_t count = 1 + below(5); count != 0; --count) {
      AccessedRows rows{memory + below(200), 1 + below(20)};
      for (std::size_t steps = below(4), bytes_of_step = rows.size; steps != 0; --steps) {
        bytes_of_step = rows.steps.empty() && below(2) ? pitch : bytes_of_step + below(12);
        rows.steps.push_back({bytes_of_step, 2 + below(5)});
        bytes_of_step *= rows.steps.back().count;
      }
      if (!boxes.add(rows, memory))
        continue;
      ++added;
      set_rows(rows, std::size_t(rows.begin - memory), rows.steps.size(), bytes);
    }
    ASSERT_NO_FATAL_FAILURE(expect_rows(boxes, bytes)) << "round " << round;
  }
  EXPECT_GT(added, 5000U);
}

TEST(RowBoxes, DimensionsThatOverlapAreRefused) {
  const auto *memory = reinterpret_cast<const std::byte *>(std::size_t{4096});
  RowBoxes boxes;
  EXPECT_FALSE(boxes.add({memory, 4, {{16, 4}, {40, 3}}}, memory));
  EXPECT_TRUE(boxes.is_empty());
}

} // namespace
