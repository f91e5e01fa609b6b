#include "runtime/check/shadow.h"

#include "runtime/check/check_places.h"

#include <gtest/gtest.h>
#include <vector>

namespace lockstep::runtime {
namespace {

struct Row {
  ShadowRow row;
  bool reads(uint32_t stamp, uint8_t first, uint8_t last, uint16_t item, bool is_ordered = true) {
    return pass({stamp, 1, item, first, last, false}, is_ordered);
  }
  bool writes(uint32_t stamp, uint8_t first, uint8_t last, uint16_t item, bool is_ordered = true) {
    return pass({stamp, 2, item, first, last, true}, is_ordered);
  }
  bool pass(const ShadowRun &run, bool is_ordered) {
    return row.pass(run,
                    [is_ordered](const ShadowRun &, unsigned, unsigned) { return is_ordered; });
  }
  std::size_t runs() const { return std::size_t(row.end() - row.begin()); }
  // Of who has the granule: stamp and item, the write first.
  std::vector<std::pair<uint32_t, uint32_t>> at(unsigned granule) const {
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (const bool is_write : {true, false})
      for (const ShadowRun &run : row)
        if (run.is_write == is_write && run.first <= granule && granule <= run.last)
          all.emplace_back(run.stamp, run.item_at(granule));
    return all;
  }
};
using Who = std::vector<std::pair<uint32_t, uint32_t>>;

// Each work-item reads from both sides, those of the groups beside it, too; then it writes.
TEST(ShadowRows, WhoeverWritesEndsAllThatIsBefore) {
  Row a;
  EXPECT_TRUE(a.writes(5, 0, 63, 0));
  EXPECT_TRUE(a.reads(10, 0, 62, 1));
  EXPECT_TRUE(a.reads(10, 63, 63, 0));
  EXPECT_TRUE(a.reads(20, 0, 0, 63));
  EXPECT_EQ(a.at(0), (Who{{5, 0}, {10, 1}, {20, 63}}));
  Row b;
  EXPECT_TRUE(b.writes(5, 0, 63, 0));
  EXPECT_TRUE(b.reads(10, 0, 62, 1));
  EXPECT_FALSE(b.writes(11, 1, 1, 1, false));
  EXPECT_EQ(b.at(1), (Who{{5, 1}, {10, 2}}));
  EXPECT_TRUE(b.writes(12, 0, 63, 0));
  EXPECT_EQ(b.runs(), 1u);
  EXPECT_EQ(b.at(63), (Who{{12, 63}}));
}

TEST(ShadowRows, ReadersThatAreNotOrderedStayBesideEachOther) {
  Row a;
  EXPECT_TRUE(a.reads(10, 0, 62, 1, false));
  EXPECT_TRUE(a.reads(10, 1, 63, 0, false));
  EXPECT_EQ(a.at(0), (Who{{10, 1}}));
  EXPECT_EQ(a.at(7), (Who{{10, 8}, {10, 6}}));
  EXPECT_EQ(a.runs(), 2u);
}

TEST(ShadowRows, WhoIsOrderedStandsForWhomItFollowsWhereThereAreMany) {
  Row a;
  EXPECT_TRUE(a.writes(5, 0, 63, 0));
  for (uint32_t stamp = 10; stamp != 30; ++stamp)
    EXPECT_TRUE(a.reads(stamp, 0, 63, uint16_t(stamp)));
  EXPECT_EQ(a.at(63).front(), (Who::value_type{5, 63}));
  EXPECT_EQ(a.at(63).back(), (Who::value_type{29, 29 + 63}));
  EXPECT_LT(a.runs(), ShadowRow::most);
}

TEST(ShadowRows, APartThatIsWrittenPartsARun) {
  Row a;
  EXPECT_TRUE(a.reads(3, 0, 63, 100));
  EXPECT_TRUE(a.writes(4, 20, 29, 7));
  EXPECT_EQ(a.at(19), (Who{{3, 119}}));
  EXPECT_EQ(a.at(20), (Who{{4, 7}}));
  EXPECT_EQ(a.at(29), (Who{{4, 16}}));
  EXPECT_EQ(a.at(30), (Who{{3, 130}}));
  EXPECT_TRUE(a.writes(5, 0, 24, 0));
  EXPECT_EQ(a.at(19), (Who{{5, 19}}));
  EXPECT_EQ(a.at(25), (Who{{4, 12}}));
  EXPECT_EQ(a.runs(), 3u);
}

TEST(ShadowRows, NeighboursThatDoTheSameAreOneRun) {
  Row a;
  for (unsigned first : {16u, 0u, 32u, 48u})
    EXPECT_TRUE(a.writes(3, uint8_t(first), uint8_t(first + 15), uint16_t(first + 5)));
  EXPECT_EQ(a.runs(), 1u);
  EXPECT_EQ(a.at(0), (Who{{3, 5}}));
  EXPECT_EQ(a.at(63), (Who{{3, 68}}));
  EXPECT_TRUE(a.reads(3, 0, 15, 6));
  EXPECT_EQ(a.runs(), 2u); // others
}

TEST(ShadowRows, WhatHasNoRoomChangesNothing) {
  Row a;
  for (uint8_t i = 0; i != ShadowRow::most; ++i)
    EXPECT_TRUE(a.reads(3, i, i, uint16_t(3 * i)));
  EXPECT_FALSE(a.reads(3, 40, 40, 0));
  EXPECT_FALSE(a.writes(3, 40, 40, 0));
  EXPECT_EQ(a.runs(), ShadowRow::most);
  EXPECT_TRUE(a.at(40).empty());
  EXPECT_TRUE(a.reads(4, 0, 3, 0)); // in place of four
  EXPECT_EQ(a.runs(), ShadowRow::most - 3);
  Row b;
  for (uint8_t i = 0; i != ShadowRow::most; ++i)
    EXPECT_TRUE(b.reads(3, uint8_t(5 * i), uint8_t(5 * i + 2), 0, false));
  EXPECT_FALSE(b.writes(4, 1, 1, 0));
  EXPECT_EQ(b.at(1), (Who{{3, 1}}));
}

TEST(ShadowRows, BecomeWords) {
  ShadowPage page(4096);
  page.lock(1);
  EXPECT_FALSE(page.use_rows(false));
  ASSERT_TRUE(page.use_rows(true));
  auto always = [](const ShadowRun &, unsigned, unsigned) { return true; };
  auto never = [](const ShadowRun &, unsigned, unsigned) { return false; };
  page.row(2).pass({7, 2, 5, 10, 20, true}, always);
  page.row(2).pass({8, 1, 6, 10, 19, false}, always);
  page.row(2).pass({9, 1, 0, 15, 15, false},
                   [](const ShadowRun &before, unsigned, unsigned) { return before.is_write; });
  page.row(3).pass({9, 1, 0, 0, 0, false}, never);
  page.use_words();
  EXPECT_FALSE(page.uses_rows());
  EXPECT_FALSE(page.use_rows(true)); // in this launch
  const std::size_t row = 2 * ShadowRow::granules;
  EXPECT_EQ(page.stamp(page.writes()[row + 12]), 7u);
  EXPECT_EQ(page.record(page.writes()[row + 12]).item, 7u);
  EXPECT_EQ(page.writes()[row + 9], 0u);
  EXPECT_EQ(page.stamp(page.sinces()[row + 12]), 8u);
  EXPECT_EQ(page.record(page.sinces()[row + 12]).item, 8u);
  ASSERT_TRUE(page.is_set(page.sinces()[row + 15]));
  EXPECT_EQ(page.set(page.sinces()[row + 15]).records.size(), 2u);
  EXPECT_EQ(page.stamp(page.sinces()[row + ShadowRow::granules]), 9u);
  page.unlock();
  page.lock(2);
  EXPECT_TRUE(page.use_rows(true));
  EXPECT_EQ(page.row(2).begin(), page.row(2).end());
  page.unlock();
}

} // namespace
} // namespace lockstep::runtime
