#include "runtime/check/shadow.h"

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

TEST(Shadow, APageIsTheSameForAllOfItsAddresses) {
  Shadow shadow;
  constexpr uintptr_t address = 0x7f0012345000;
  EXPECT_EQ(&shadow.page(address), &shadow.page(address + ShadowPage::bytes - 1));
  EXPECT_NE(&shadow.page(address), &shadow.page(address + ShadowPage::bytes));
}

TEST(Shadow, BytesHaveWhatTheirWordsHad) {
  Shadow shadow;
  ShadowPage &page = shadow.page(0x1000);
  page.cell(8).write = {.stamp = 3};
  page.cell(8).since = {.stamp = 4, .item = 1};
  page.set_of(page.cell(8)).records.push_back({.stamp = 5});
  page.make_bytes();
  for (std::size_t byte = 8; byte != 12; ++byte) {
    EXPECT_EQ(page.cell(byte).write.stamp, 3u);
    const auto &records = page.set_of(page.cell(byte)).records;
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].stamp, 4u);
    EXPECT_EQ(records[1].stamp, 5u);
  }
  page.set_of(page.cell(9)).records.clear(); // each has its own
  EXPECT_EQ(page.set_of(page.cell(10)).records.size(), 2u);
  EXPECT_FALSE(page.cell(7).write);
  EXPECT_FALSE(page.cell(12).write);
}

TEST(Shadow, ALaunchDoesNotSeeWhatAnotherOneHasLeft) {
  {
    Shadow first;
    first.page(0x1000).cell(0).write = {.stamp = 9};
    first.page(0x1000).make_bytes();
  }
  Shadow second;
  EXPECT_FALSE(second.page(0x1000).cell(0).write);
  EXPECT_EQ(second.page(0x1000).granule(), 4u);
}

} // namespace
} // namespace lockstep::runtime
