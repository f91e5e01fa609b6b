#include "runtime/check/races/shadow/shadow.h"

#include "runtime/check/races/shadow/report_sites.h"

#include <gtest/gtest.h>
#include <vector>

namespace lockstep::runtime {
namespace {

// `item`: that of the first cell.
ShadowRun run(uint32_t epoch, uint16_t site, unsigned first, unsigned last, unsigned item) {
  return {ShadowRun::who_of(epoch, site, item - first), ShadowRow::all >> (63 - (last - first))
                                                                              << first};
}

struct Row {
  ShadowRow row;
  bool reads(uint32_t epoch, unsigned first, unsigned last, unsigned item, bool is_ordered = true) {
    return row.pass(run(epoch, 1, first, last, item), false,
                    [=](const ShadowRun &, uint64_t) { return is_ordered; });
  }
  bool writes(uint32_t epoch, unsigned first, unsigned last, unsigned item,
              bool is_ordered = true) {
    return row.pass(run(epoch, 2, first, last, item), true,
                    [=](const ShadowRun &, uint64_t) { return is_ordered; });
  }
  std::size_t runs() const { return row.size(); }
  // Epoch and item of the accesses to a cell, the write first.
  std::vector<std::pair<uint32_t, uint32_t>> at(unsigned granule) const {
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (const bool is_write : {true, false})
      for (unsigned i = 0; i != row.size(); ++i)
        if (row.is_write(i) == is_write && row[i].granules >> granule & 1)
          all.emplace_back(row[i].epoch(), row[i].item_at(granule));
    return all;
  }
};
using Who = std::vector<std::pair<uint32_t, uint32_t>>;

// Each work-item reads from both neighbors, also across groups, and then writes.
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
  for (uint32_t epoch = 10; epoch != 30; ++epoch)
    EXPECT_TRUE(a.reads(epoch, 0, 63, epoch));
  EXPECT_EQ(a.at(63).front(), (Who::value_type{5, 63}));
  EXPECT_EQ(a.at(63).back(), (Who::value_type{29, 29 + 63}));
  EXPECT_LT(a.runs(), ShadowRow::most);
}

TEST(ShadowRows, WhoeverWritesAPartEndsThatPart) {
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

TEST(ShadowRows, OnlyWhatIsSharedIsAskedFor) {
  Row a;
  EXPECT_TRUE(a.writes(3, 0, 9, 0));
  EXPECT_TRUE(a.reads(4, 20, 29, 0));
  uint64_t asked = 0;
  EXPECT_TRUE(a.row.pass(run(5, 2, 8, 22, 0), true, [&](const ShadowRun &, uint64_t granules) {
    asked |= granules;
    return true;
  }));
  EXPECT_EQ(asked, 0x700300u);
  EXPECT_EQ(a.at(7), (Who{{3, 7}}));
  EXPECT_EQ(a.at(8), (Who{{5, 0}}));
  EXPECT_EQ(a.at(22), (Who{{5, 14}}));
  EXPECT_EQ(a.at(23), (Who{{4, 3}}));
}

TEST(ShadowRows, NeighborsThatDoTheSameAreOneRun) {
  Row a;
  for (unsigned first : {16u, 0u, 32u, 48u})
    EXPECT_TRUE(a.writes(3, first, first + 15, first + 5));
  EXPECT_EQ(a.runs(), 1u);
  EXPECT_EQ(a.at(0), (Who{{3, 5}}));
  EXPECT_EQ(a.at(63), (Who{{3, 68}}));
  EXPECT_TRUE(a.reads(3, 0, 15, 6));
  EXPECT_EQ(a.runs(), 2u); // other items
}

TEST(ShadowRows, WhatHasNoRoomEndsNothingElse) {
  Row a;
  for (unsigned i = 0; i != ShadowRow::most; ++i)
    EXPECT_TRUE(a.reads(3, i, i, 3 * i));
  EXPECT_FALSE(a.reads(3, 40, 40, 0));
  EXPECT_FALSE(a.writes(3, 40, 40, 0));
  EXPECT_EQ(a.runs(), ShadowRow::most);
  EXPECT_TRUE(a.at(40).empty());
  EXPECT_EQ(a.at(5), (Who{{3, 15}}));
  EXPECT_TRUE(a.reads(4, 0, 3, 0)); // replaces four runs
  EXPECT_EQ(a.runs(), ShadowRow::most - 3);
}

TEST(ShadowRows, BecomeWords) {
  ShadowPage page(4096);
  page.lock(1);
  EXPECT_FALSE(page.use_rows(false));
  ASSERT_TRUE(page.use_rows(true));
  auto always = [](const ShadowRun &, uint64_t) { return true; };
  page.row(2).pass(run(7, 2, 10, 20, 5), true, always);
  page.row(2).pass(run(8, 1, 10, 19, 6), false, always);
  page.row(2).pass(run(9, 1, 15, 15, 0), false, always);
  page.row(3).pass(run(9, 1, 0, 0, 0), false, always);
  page.use_words();
  EXPECT_FALSE(page.uses_rows());
  EXPECT_FALSE(page.use_rows(true)); // not in this launch
  const std::size_t row = 2 * ShadowRow::granules;
  EXPECT_EQ(page.epoch(page.writes()[row + 12]), 7u);
  EXPECT_EQ(page.record(page.writes()[row + 12]).item, 7u);
  EXPECT_EQ(page.writes()[row + 9], 0u);
  EXPECT_EQ(page.epoch(page.sinces()[row + 12]), 8u);
  EXPECT_EQ(page.record(page.sinces()[row + 12]).item, 8u);
  ASSERT_TRUE(page.is_set(page.sinces()[row + 15]));
  EXPECT_EQ(page.set(page.sinces()[row + 15]).records.size(), 2u);
  EXPECT_EQ(page.epoch(page.sinces()[row + ShadowRow::granules]), 9u);
  page.unlock();
  page.lock(2);
  EXPECT_TRUE(page.use_rows(true));
  EXPECT_EQ(page.row(2).size(), 0u);
  page.unlock();
}

} // namespace
} // namespace lockstep::runtime
