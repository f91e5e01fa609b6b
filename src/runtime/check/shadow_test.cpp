#include "runtime/check/launch_records.h"

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
  Shadow shadow;
  ShadowPage &page = shadow.page(0x1000);
  page.lock(1);
  page.cell(0).write = {.stamp = 9};
  page.make_bytes();
  page.unlock();
  page.lock(1);
  EXPECT_EQ(page.cell(0).write.stamp, 9u);
  page.unlock();
  page.lock(2);
  EXPECT_FALSE(page.cell(0).write);
  EXPECT_EQ(page.granule(), 4u);
  page.unlock();
  EXPECT_EQ(shadow.pages(), 1u);
}

TEST(StampOwners, RememberGroupsUntilTheyAreForgotten) {
  StampOwners owners;
  std::vector<Stamp> stamps;
  for (uint32_t group = 0; group != 70000; ++group)
    stamps.push_back(owners.add(group));
  for (uint32_t group : {0u, 65534u, 65535u, 65536u, 69999u})
    EXPECT_EQ(owners.of(stamps[group]), group);
  owners.forget(1);
  EXPECT_EQ(owners.add(5), stamps[0]);
  EXPECT_EQ(owners.of(stamps[0]), 5u);
}

} // namespace
} // namespace lockstep::runtime
