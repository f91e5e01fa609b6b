#include "runtime/check/launch_records.h"
#include "runtime/check/quick_check.h"

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

TEST(Shadow, APageIsTheSameForAllOfItsAddresses) {
  Shadow shadow;
  constexpr uintptr_t address = 0x7f0012345000;
  EXPECT_EQ(&shadow.page(address), &shadow.page(address + ShadowPage::bytes - 1));
  EXPECT_NE(&shadow.page(address), &shadow.page(address + ShadowPage::bytes));
}

AccessRecord by(Stamp stamp, uint16_t first, uint16_t last) {
  return {.stamp = stamp, .item = first, .last_item = last};
}

TEST(RecordWord, HoldsItemsOfAPowerOfTwoAndNoOthers) {
  for (uint16_t first : {0, 5, 4095})
    for (uint16_t many : {1, 2, 16, 4096}) {
      const auto word = RecordWord::of(by(70000, first, uint16_t(first + many - 1)));
      ASSERT_TRUE(word);
      EXPECT_FALSE(RecordWord::is_set(*word));
      const AccessRecord record = RecordWord::record(*word);
      EXPECT_EQ(record.stamp, 70000u);
      EXPECT_EQ(record.item, first);
      EXPECT_EQ(record.last_item, first + many - 1);
    }
  EXPECT_FALSE(RecordWord::of(by(1, 0, 2)));
  EXPECT_TRUE(RecordWord::is_set(RecordWord::of_set(4095)));
  EXPECT_EQ(RecordWord::set(RecordWord::of_set(4095)), 4095u);
}

TEST(Shadow, BytesHaveWhatTheirWordsHad) {
  Shadow shadow;
  ShadowPage &page = shadow.page(0x1000);
  page.writes()[page.index(0x1008)] = *RecordWord::of(by(3, 0, 0));
  page.sinces()[page.index(0x1008)] = *RecordWord::of(by(4, 1, 1));
  page.set_of(page.index(0x1008)).records.push_back(by(5, 0, 0));
  page.make_bytes();
  for (uintptr_t address = 0x1008; address != 0x100c; ++address) {
    EXPECT_EQ(RecordWord::record(page.writes()[page.index(address)]).stamp, 3u);
    const auto &records = page.set_of(page.index(address)).records;
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].stamp, 4u);
    EXPECT_EQ(records[1].stamp, 5u);
  }
  page.set_of(9).records.clear(); // each has its own
  EXPECT_EQ(page.set_of(10).records.size(), 2u);
  EXPECT_EQ(page.writes()[7], 0u);
  EXPECT_EQ(page.writes()[12], 0u);
}

TEST(Shadow, ALaunchFindsNoSetsAndNoBytesOfAnother) {
  Shadow shadow;
  ShadowPage &page = shadow.page(0x1000);
  page.lock(1);
  page.sinces()[0] = *RecordWord::of(by(16, 0, 0));
  page.unlock();
  page.lock(2); // below its horizon
  EXPECT_NE(page.sinces()[0], 0u);
  page.set_of(0).records.push_back(by(33, 1, 1));
  page.unlock();
  page.lock(3);
  EXPECT_EQ(page.sinces()[0], 0u);
  page.make_bytes();
  page.unlock();
  page.lock(3);
  EXPECT_EQ(page.granule(), 1u);
  page.unlock();
  page.lock(4);
  EXPECT_EQ(page.granule(), 4u);
  page.unlock();
  EXPECT_EQ(shadow.pages(), 1u);
}

TEST(StampOwners, RememberGroupsUntilTheyAreForgotten) {
  StampOwners owners;
  std::vector<Stamp> stamps;
  const Stamp horizon = owners.horizon();
  for (uint32_t group = 0; group != 70000; ++group)
    stamps.push_back(owners.add(group));
  for (uint32_t group : {0u, 65534u, 65535u, 65536u, 69999u}) {
    EXPECT_GE(stamps[group], horizon);
    EXPECT_EQ(owners.of(stamps[group]), group);
  }
  Stamp stamp = stamps[7]; // the last one before it has been given out
  for (unsigned i = 1; i != StampOwners::block_size; ++i) {
    EXPECT_EQ(owners.after(stamp, 7), stamp + 1);
    EXPECT_EQ(owners.of(++stamp), 7u);
  }
  EXPECT_GT(owners.after(stamp, 7), stamps.back());
  EXPECT_TRUE(owners.forget());
  EXPECT_GT(owners.horizon(), stamps.back());
  const Stamp next = owners.add(5);
  EXPECT_GE(next, owners.horizon());
  EXPECT_EQ(owners.of(next), 5u);
}

// The reference of pass_words, by single words.
bool pass_one(const QuickCheck &check, uint64_t *write, uint64_t *since, uint64_t *other,
              uint64_t word) {
  const uint64_t item = word & RecordWord::item_mask;
  if (!check.passes(*write, item))
    return false;
  if (check.is_write) {
    if (!check.passes(*since, item) || (other && !check.passes(*other, item)))
      return false;
    *write = word;
    *since = 0;
    return true;
  }
  if (check.passes_since(*since, item))
    *since = word;
  else if (other && check.passes(*other, item) && !RecordWord::is_set(*since) &&
           !(*since & RecordWord::atomic_bit))
    *other = word;
  else if (!other || !check.are_two(*since, *other))
    return false;
  return true;
}

TEST(QuickCheck, SeveralWordsPassAsEachOfThemDoes) {
  const QuickCheck check{.horizon = 100,
                         .from = 128,
                         .ordered = 4,
                         .copies = 2,
                         .own = 128,
                         .first_copy = 4096,
                         .interval = 132};
  std::vector<uint64_t> some = {0};
  for (Stamp stamp : {99u, 100u, 128u, 129u, 130u, 131u, 132u, 143u, 144u})
    for (uint16_t item : {3, 4, 4096})
      some.push_back(*RecordWord::of(by(stamp, item, item)));
  some.push_back(*RecordWord::of(by(140, 3, 4)));
  some.push_back(*RecordWord::of(by(140, 4, 4)) | RecordWord::atomic_bit);
  some.push_back(RecordWord::of_set(0));
  const uint64_t word = *RecordWord::of(by(140, 3, 3));
  unsigned passed = 0;
  for (uint64_t write : some)
    for (uint64_t since : some)
      for (uint64_t other : some)
        for (unsigned how = 0; how != 16; ++how) {
          QuickCheck now = check;
          now.is_write = how & 1;
          now.two_stand_for_all = how & 2;
          const bool has_others = how & 4;
          const uint64_t which = how & 8 ? ~uint64_t(0) : 2;
          uint64_t writes[64] = {0, write}, sinces[64] = {0, since}, others[64] = {0, other};
          uint64_t expected[3] = {write, since, other};
          const bool passes = pass_one(now, &expected[0], &expected[1],
                                       has_others ? &expected[2] : nullptr, word + 1);
          passed += passes;
          ASSERT_EQ(
              pass_words(now, {writes, sinces, has_others ? others : nullptr}, which, word, 1),
              passes);
          ASSERT_EQ(writes[1], expected[0]);
          ASSERT_EQ(sinces[1], expected[1]);
          ASSERT_EQ(others[1], expected[2]);
          ASSERT_EQ(writes[0], passes && now.is_write && how & 8 ? word : 0);
        }
  EXPECT_GT(passed, 1000u);
  EXPECT_TRUE(check.passes(some[0], 3));
  EXPECT_TRUE(check.passes(*RecordWord::of(by(131, 9, 9)), 3));        // before the barrier
  EXPECT_FALSE(check.passes(*RecordWord::of(by(132, 9, 9)), 3));       // not
  EXPECT_TRUE(check.passes(*RecordWord::of(by(132, 3, 3)), 3));        // the same work-item
  EXPECT_FALSE(check.passes(*RecordWord::of(by(144, 3, 3)), 3));       // of another group
  EXPECT_FALSE(check.passes(*RecordWord::of(by(131, 4096, 4096)), 3)); // a copy not waited for
  EXPECT_FALSE(check.are_two(*RecordWord::of(by(140, 3, 3)), *RecordWord::of(by(140, 4, 4))));
  QuickCheck two = check;
  two.two_stand_for_all = true;
  EXPECT_TRUE(two.are_two(*RecordWord::of(by(140, 3, 3)), *RecordWord::of(by(140, 4, 4))));
  EXPECT_FALSE(two.are_two(*RecordWord::of(by(140, 3, 3)), *RecordWord::of(by(140, 3, 3))));
  EXPECT_FALSE(two.are_two(*RecordWord::of(by(140, 3, 3)), *RecordWord::of(by(131, 4, 4))));
  EXPECT_FALSE(two.are_two(*RecordWord::of(by(140, 3, 3)), *RecordWord::of(by(144, 4, 4))));
}

} // namespace
} // namespace lockstep::runtime
