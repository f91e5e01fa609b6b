#include "runtime/check/races/launch/launch_records.h"
#include "runtime/check/races/shadow/quick_check.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace lockstep::runtime {
namespace {

TEST(Shadow, APageIsTheSameForAllOfItsAddresses) {
  Shadow shadow;
  constexpr uintptr_t address = 0x7f0012345000;
  EXPECT_EQ(&shadow.page(address), &shadow.page(address + ShadowPage::bytes - 1));
  EXPECT_NE(&shadow.page(address), &shadow.page(address + ShadowPage::bytes));
}

AccessRecord by(Epoch epoch, uint16_t first, uint16_t last) {
  return {.epoch = epoch, .item = first, .last_item = last};
}

TEST(RecordWord, HoldsItemsOfAPowerOfTwoAndNoOthers) {
  ShadowPage page;
  for (uint16_t first : {0, 5, 4095})
    for (uint16_t many : {1, 2, 16, 4096}) {
      const auto word =
          RecordWord::of(by(70000, first, uint16_t(first + many - 1)), page.context_of(70000, 0));
      ASSERT_TRUE(word);
      EXPECT_FALSE(page.is_set(*word));
      const AccessRecord record = page.record(*word);
      EXPECT_EQ(record.epoch, 70000u);
      EXPECT_EQ(record.item, first);
      EXPECT_EQ(record.last_item, first + many - 1);
    }
  EXPECT_FALSE(RecordWord::of(by(1, 0, 2), 2));
}

uint32_t word_of(ShadowPage &page, const AccessRecord &record) {
  return *RecordWord::of(record, page.context_of(record.epoch, record.site));
}

std::vector<AccessRecord> records_of(ShadowPage &page, std::size_t index) {
  const uint32_t word = page.sinces()[index];
  std::vector<AccessRecord> records;
  if (RecordWord::is_of_two(word)) {
    const auto two = page.two(word);
    return {two.begin(), two.end()};
  }
  if (!page.is_set(word))
    return word ? std::vector{page.record(word)} : records;
  for (const AccessRecord &record : page.set(word).records)
    records.push_back(record.moved(word & RecordWord::item_mask));
  return records;
}

// A few words get more sets in sequence than a word can number.
TEST(Shadow, SetsThatComeAndGoLeaveRoomForOthers) {
  Shadow shadow;
  ShadowPage &page = shadow.page(0x1000);
  for (Epoch epoch = 16; epoch != 60000; ++epoch) {
    const std::size_t index = epoch % 5;
    page.drop_set(index);
    page.sinces()[index] = word_of(page, by(epoch, 0, 0));
    page.add_to_set(index, by(epoch, 2, 2));
    page.add_to_set(index, by(epoch, 4, 4));
    ASSERT_EQ(records_of(page, index).size(), 3u);
  }
}

TEST(Shadow, BytesHaveWhatTheirWordsHad) {
  Shadow shadow;
  ShadowPage &page = shadow.page(0x1000);
  page.begin_writes();
  page.writes()[page.index(0x1008)] = word_of(page, by(3, 0, 0));
  page.sinces()[page.index(0x1008)] = word_of(page, by(4, 1, 1));
  page.add_to_set(page.index(0x1008), by(5, 0, 0));
  page.make_bytes();
  auto records_at = [&](std::size_t index) { return records_of(page, index); };
  for (uintptr_t address = 0x1008; address != 0x100c; ++address) {
    EXPECT_EQ(page.record(page.writes()[page.index(address)]).epoch, 3u);
    EXPECT_EQ(records_at(page.index(address)), (std::vector{by(4, 1, 1), by(5, 0, 0)}));
  }
  page.add_to_set(9, by(6, 0, 0));
  EXPECT_EQ(records_at(9).size(), 3u);
  for (std::size_t index : {8, 10, 11}) { // each has its own
    EXPECT_EQ(records_at(index).size(), 2u);
    page.drop_set(index);
  }
  EXPECT_EQ(records_at(9).size(), 3u);
  EXPECT_EQ(page.writes()[7], 0u);
  EXPECT_EQ(page.writes()[12], 0u);
}

TEST(Shadow, ASetSaysWhetherAnAccessCanConflictWithIt) {
  const AccessRecord read{.kind = RecordKind::read}, atomic_read{.kind = RecordKind::atomic_read},
      atomic_write{.kind = RecordKind::atomic_write}, write{.kind = RecordKind::write},
      narrow{.kind = RecordKind::atomic_write, .reach = AtomicReach::work_group};
  ShadowSet reads;
  reads.add(read);
  EXPECT_TRUE(reads.is_compatible_with(read));
  EXPECT_TRUE(reads.is_compatible_with(atomic_read));
  EXPECT_FALSE(reads.is_compatible_with(atomic_write));
  EXPECT_FALSE(reads.is_compatible_with(write));
  ShadowSet atomics;
  atomics.add(atomic_write);
  EXPECT_TRUE(atomics.is_compatible_with(atomic_write));
  EXPECT_FALSE(atomics.is_compatible_with(narrow));
  EXPECT_FALSE(atomics.is_compatible_with(read));
  atomics.add(narrow);
  EXPECT_FALSE(atomics.is_compatible_with(atomic_write));
  ShadowSet both;
  both.add(atomic_read);
  EXPECT_TRUE(both.is_compatible_with(read));
  EXPECT_TRUE(both.is_compatible_with(atomic_write));
  both.add(read);
  EXPECT_TRUE(both.is_compatible_with(atomic_read));
  EXPECT_FALSE(both.is_compatible_with(atomic_write));
}

TEST(Shadow, ALaunchFindsNoSetsAndNoBytesOfAnother) {
  Shadow shadow;
  ShadowPage &page = shadow.page(0x1000);
  page.lock(1);
  page.sinces()[0] = word_of(page, by(16, 0, 0));
  page.unlock();
  page.lock(2); // its epochs are below the horizon
  EXPECT_NE(page.sinces()[0], 0u);
  page.add_to_set(0, by(33, 1, 1));
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

// However many contexts there have been, each word keeps its own.
TEST(Shadow, WordsKeepTheirContexts) {
  const auto others = CheckMemory::used();
  ShadowPage page;
  std::mt19937 random(1);
  constexpr std::size_t granules = ShadowPage::bytes / 4;
  page.begin_writes();
  auto word_at = [&](std::size_t at) -> uint32_t & {
    return at < granules ? page.writes()[at] : page.sinces()[at - granules];
  };
  std::vector<AccessRecord> expected(2 * granules);
  auto is_right = [&] {
    for (std::size_t i = 0; i != expected.size(); ++i) {
      const AccessRecord record = page.record(word_at(i));
      if (record.epoch != expected[i].epoch || record.site != expected[i].site ||
          (expected[i].epoch && record.item != expected[i].item))
        return false;
    }
    return true;
  };
  Epoch epoch = 1;
  for (unsigned used : {1u, 40u, 700u, 2048u, 3u}) { // words used in each phase
    for (unsigned step = 0; step != 20000; ++step) {
      AccessRecord now = by(epoch, uint16_t(random() % 4096), 0);
      now.last_item = now.item;
      now.site = uint16_t(random() % 3);
      epoch += random() % 2;
      const std::size_t at = random() % used;
      word_at(at) = word_of(page, now);
      expected[at] = now;
      if (step % 997 == 0) {
        ASSERT_TRUE(is_right()) << used << " " << step;
      }
    }
    ASSERT_TRUE(is_right()) << used;
  }
  EXPECT_LT(CheckMemory::used() - others, 200000u);
}

// Words of a page are accessed in turn from more places than the recent list has.
TEST(Shadow, PlacesThatAreUsedInTurnsAreNotKeptTwice) {
  const std::size_t before = CheckMemory::used();
  ShadowPage page;
  page.make_bytes();
  for (unsigned step = 0; step != 40000; ++step) {
    AccessRecord now = by(7 + step % 50, uint16_t(step % 4096), 0);
    now.last_item = now.item;
    now.site = uint16_t(step % 3);
    page.sinces()[step % 4096] = word_of(page, now);
  }
  EXPECT_LT(CheckMemory::used() - before, ShadowPage::bytes * 4 + 1024 * 6);
  for (unsigned at = 0; at != 4096; ++at)
    ASSERT_EQ(page.record(page.sinces()[at]).item, at);
}

// The write word has a second reader if the launch has not written the cell. Only written cells
// need a third word.
TEST(Shadow, TwoWordsAreEnoughUnlessWhatWasWrittenIsReadByTwo) {
  const std::size_t before = CheckMemory::used();
  ShadowPage page;
  auto used = [&] { return (CheckMemory::used() - before) / ShadowPage::bytes; };
  page.lock(1);
  EXPECT_EQ(used(), 1u);
  EXPECT_EQ(page.writes(), nullptr);
  page.begin_writes();
  page.writes()[3] = word_of(page, by(3, 0, 0));
  EXPECT_EQ(used(), 2u);
  page.make_other(5) = word_of(page, by(70, 1, 1));
  EXPECT_EQ(used(), 3u);
  EXPECT_EQ(page.record(page.writes()[3]).epoch, 3u);
  EXPECT_EQ(page.record(page.others()[5]).epoch, 70u);
  page.unlock();
}

void read(ShadowPage &page, std::size_t index, const AccessRecord &first,
          const AccessRecord &second) {
  page.sinces()[index] = word_of(page, first);
  ASSERT_TRUE(page.make_two(index, word_of(page, second)));
}

TEST(Shadow, TwoThatReadAreInOneWord) {
  const std::size_t before = CheckMemory::used();
  ShadowPage page;
  constexpr std::size_t granules = ShadowPage::bytes / 4;
  auto both_of = [](std::size_t i) {
    const auto item = uint16_t(i % 64 + 1);
    return std::vector{by(20 + Epoch(i / 64), item, item),
                       by(20 + Epoch(i / 64), uint16_t(item - 1), uint16_t(item - 1))};
  };
  for (std::size_t i = 0; i != granules; ++i)
    read(page, i, both_of(i)[0], both_of(i)[1]);
  EXPECT_LT(CheckMemory::used() - before, ShadowPage::bytes * 5 / 4);
  for (Epoch epoch = 1000; epoch != 20000; ++epoch) { // contexts come and go
    read(page, 5, by(epoch, 3, 3), by(epoch, uint16_t(epoch % 7), uint16_t(epoch % 7)));
    ASSERT_EQ(records_of(page, 5)[1].item, epoch % 7);
  }
  read(page, 5, both_of(5)[0], both_of(5)[1]);
  EXPECT_LT(CheckMemory::used() - before, ShadowPage::bytes * 5 / 3);
  page.make_bytes();
  for (std::size_t i = 0; i != 4 * granules; ++i)
    ASSERT_EQ(records_of(page, i), both_of(i / 4)) << i;
  page.add_to_set(9, by(50, 100, 100));
  EXPECT_EQ(records_of(page, 9), (std::vector{both_of(2)[0], both_of(2)[1], by(50, 100, 100)}));
  EXPECT_EQ(records_of(page, 8), both_of(2));
}

// If each cell has another pair, pairs take more memory than a third word.
TEST(Shadow, ThereIsRoomForAFewPairsOfReadersOnAPage) {
  const std::size_t before = CheckMemory::used();
  ShadowPage page;
  unsigned made = 0;
  for (std::size_t i = 0; i != ShadowPage::bytes / 4; ++i) {
    page.sinces()[i] = word_of(page, by(20, 0, 0));
    const auto item = uint16_t(1 + i);
    if (page.make_two(i, word_of(page, by(20, item, item))))
      ++made;
    ASSERT_EQ(records_of(page, i).size(), made == i + 1 ? 2u : 1u);
  }
  EXPECT_GT(made, 50u);
  EXPECT_LT(CheckMemory::used() - before, ShadowPage::bytes * 2);
}

// Cells with equal records share a set, also if they were added in another order. A cell with more
// or fewer records has its own set.
TEST(Shadow, SetsHaveWhatEachGranuleHad) {
  std::mt19937 random(7);
  for (unsigned round = 0; round != 60; ++round) {
    ShadowPage page;
    constexpr std::size_t granules = ShadowPage::bytes / 4;
    std::vector<std::vector<AccessRecord>> expected(granules);
    auto sorted = [](std::vector<AccessRecord> records) {
      for (std::size_t i = 1; i < records.size(); ++i) // a stable order for equal epochs
        for (std::size_t k = i; k != 0 && records[k].epoch < records[k - 1].epoch; --k)
          std::swap(records[k], records[k - 1]);
      return records;
    };
    auto is_right = [&] {
      for (std::size_t i = 0; i != granules; ++i)
        if (records_of(page, i) != sorted(expected[i]))
          return false;
      return true;
    };
    for (unsigned step = 0; step != 200; ++step) {
      const std::size_t first = random() % granules,
                        many = std::min<std::size_t>(granules - first, 1 + random() % 200);
      const Epoch epoch = 1 + random() % 9;
      const auto item = uint16_t(random() % 4000), by_step = uint16_t(random() % 8 ? 1 : 0);
      const unsigned how = random() % 8;
      for (std::size_t i = first; i != first + many; ++i) {
        std::vector<AccessRecord> &had = expected[i];
        if (how == 0) {
          page.drop_set(i);
          had.clear();
          continue;
        }
        if (how == 1 && had.size() > 1 && page.is_set(page.sinces()[i])) {
          had = sorted(had);
          had.erase(had.begin() + 1);
          std::vector<AccessRecord> kept;
          for (const AccessRecord &record : had)
            kept.push_back(record.moved(0 - (page.sinces()[i] & RecordWord::item_mask)));
          page.keep_of_set(i, kept);
          continue;
        }
        const auto own = uint16_t(item + 2 * by_step * (i - first)); // neighbors continue
        AccessRecord now = by(epoch, own, own);
        now.site = uint16_t(epoch % 2);
        bool goes_on = false;
        const std::vector<AccessRecord> before = sorted(had);
        for (std::size_t k = before.size(); k-- != 0;)
          if (before[k].epoch == epoch) { // the last one of that epoch
            goes_on = before[k].has(own) || before[k].last_item + 1 == own;
            break;
          }
        if (goes_on || (had.empty() && page.sinces()[i]))
          continue;
        if (had.empty())
          page.sinces()[i] = word_of(page, now);
        else
          page.add_to_set(i, now);
        had.push_back(now);
      }
    }
    ASSERT_TRUE(is_right()) << round;
    page.make_bytes();
    for (std::size_t i = 0; i != 4 * granules; ++i)
      ASSERT_EQ(records_of(page, i), sorted(expected[i / 4]));
    for (std::size_t i = 0; i != 4 * granules; ++i)
      page.drop_set(i);
    EXPECT_EQ(page.sinces()[5], 0u);
  }
}

// Many groups read each word, by another work-item each. The memory depends on the words and the
// groups, not on their product.
TEST(Shadow, ReadersOfAllGranulesTakeLittleMore) {
  const std::size_t before = CheckMemory::used();
  ShadowPage page;
  page.begin_writes();
  auto used = [&] { return CheckMemory::used() - before; };
  for (Epoch group = 0; group != 100; ++group)
    for (uint16_t i = 0; i != ShadowPage::bytes / 4; ++i) {
      const AccessRecord now = by(1 + group, i % 64, i % 64);
      if (group == 0)
        page.sinces()[i] = word_of(page, now);
      else
        page.add_to_set(i, now);
      if (group == 8) {
        ASSERT_LT(used(), 2 * ShadowPage::bytes + ShadowPage::bytes / 2);
      }
    }
  EXPECT_LT(used(), 3 * ShadowPage::bytes);
  EXPECT_EQ(records_of(page, 700).size(), 100u);
  for (std::size_t i = 0; i != ShadowPage::bytes / 4; ++i)
    page.drop_set(i);
  EXPECT_LT(used(), 3 * ShadowPage::bytes);
}

TEST(EpochOwners, RememberGroupsUntilTheyAreForgotten) {
  EpochOwners owners;
  EpochBlocks blocks;
  std::vector<Epoch> epochs;
  const Epoch horizon = owners.horizon();
  for (uint32_t group = 0; group != 70000; ++group)
    epochs.push_back(owners.add(group, blocks));
  for (uint32_t group : {0u, 65534u, 65535u, 65536u, 69999u}) {
    EXPECT_GE(epochs[group], horizon);
    EXPECT_EQ(owners.of(epochs[group]), group);
  }
  Epoch epoch = epochs[7]; // the last one before it has been assigned
  for (unsigned i = 1; i != EpochOwners::block_size; ++i) {
    EXPECT_EQ(owners.after(epoch, 7, blocks), epoch + 1);
    EXPECT_EQ(owners.of(++epoch), 7u);
  }
  EXPECT_GT(owners.after(epoch, 7, blocks), epochs.back());
  EXPECT_TRUE(owners.forget());
  EXPECT_GT(owners.horizon(), epochs.back());
  blocks = {};
  const Epoch next = owners.add(5, blocks);
  EXPECT_GE(next, owners.horizon());
  EXPECT_EQ(owners.of(next), 5u);
}

TEST(EpochOwners, GroupsOfSeveralThreadsHaveEpochsOfTheirOwn) {
  EpochOwners owners;
  auto run = [&](uint32_t group) {
    EpochBlocks blocks;
    Epoch epoch = owners.add(group, blocks);
    for (int n = 0; n != 10000; ++n) {
      const Epoch next = owners.after(epoch, group, blocks);
      ASSERT_GT(next, epoch);
      ASSERT_EQ(owners.of(next), group);
      epoch = next;
    }
    EXPECT_EQ(owners.of(epoch), group);
  };
  std::thread other(run, 3);
  run(4);
  other.join();
  EpochBlocks blocks;
  EXPECT_TRUE(owners.forget());
  EXPECT_GE(owners.add(1, blocks), owners.horizon());
}

struct QuickChecks : testing::Test {
  ShadowPage page;
  std::vector<uint32_t> some = {0};
  const QuickCheck check{.horizon = 100,
                         .from = 128,
                         .ordered = 4,
                         .copies = 2,
                         .own = 128,
                         .first_copy = 4096,
                         .interval = 132};
  uint32_t word = 0;
  std::span<const TwoReadersNow> readers;

  QuickChecks() {
    for (Epoch epoch : {99u, 100u, 128u, 129u, 130u, 131u, 132u, 143u, 144u})
      for (uint16_t item : {3, 4, 4096})
        some.push_back(at(epoch, item));
    some.push_back(word_of(page, by(140, 3, 4)));
    some.push_back(at(140, 4) | RecordWord::atomic_bit);
    some.push_back(at(140, 4) | RecordWord::several);
    some.push_back(at(140, 3) | RecordWord::several | RecordWord::atomic_bit);
    some.push_back(at(132, 4) | RecordWord::reader_bit);
    some.push_back(RecordWord::reader_of_another_group(at(144, 3)));
    some.push_back(RecordWord::reader_of_another_group(at(99, 3)));
    page.sinces()[0] = at(144, 3);
    page.add_to_set(0, by(160, 4, 4));
    some.push_back(page.sinces()[0]);
    word = at(140, 3);
    read(page, 1, by(136, 3, 3), by(140, 4, 4));
    read(page, 2, by(140, 4, 4), by(136, 6, 6));
    for (std::size_t index : {1, 2})
      for (uint32_t item : {3, 4})
        some.push_back((page.sinces()[index] & ~RecordWord::item_mask) | item);
    some.push_back(at(136, 3));
    some.push_back(at(136, 5));
    readers = page.words(0).readers;
    for (Epoch epoch : {99u, 131u, 132u, 140u, 144u})
      at(epoch, 0); // so that no test moves the page's array that epochs() has returned
  }
  uint32_t at(Epoch epoch, uint16_t item) { return word_of(page, by(epoch, item, item)); }
  const uint32_t *epochs() { return page.words(0).epochs; }
  bool joins(const QuickCheck &by, uint32_t since, uint32_t now) {
    return by.joins(since, page.epoch(since), now);
  }
};

// A check, and which of the arrays of words it has.
struct PassVariant {
  QuickCheck check;
  bool has_writes, has_others;
  uint64_t which;
};

std::vector<PassVariant> pass_variants(const QuickCheck &check) {
  std::vector<PassVariant> variants;
  for (unsigned how = 0; how != 256; ++how) {
    const auto has = [&](unsigned bit) { return (how & bit) != 0; };
    // A write is not atomic and has writes; only two that stand for all have one block.
    if ((has(1) && (has(16) || !has(128))) || (has(32) && !has(2)))
      continue;
    QuickCheck now = check;
    now.is_write = has(1);
    now.two_stand_for_all = has(2);
    now.is_atomic = has(16);
    now.has_one_block = has(32);
    now.names_both = has(64);
    variants.push_back({now, has(128), has(4), has(8) ? ~uint64_t(0) : 2});
  }
  return variants;
}

TEST_F(QuickChecks, SeveralWordsPassAsEachOfThemDoes) {
  unsigned passed = 0;
  auto is_same = [&](const PassVariant &variant, uint32_t write, uint32_t since, uint32_t other) {
    uint32_t writes[64] = {0, write}, sinces[64] = {0, since}, others[64] = {0, other};
    uint32_t expected[3] = {write, since, other};
    const bool passes =
        variant.check.pass({epochs(), variant.has_writes ? &expected[0] : nullptr, &expected[1],
                            variant.has_others ? &expected[2] : nullptr, readers},
                           0, word + 1);
    passed += passes;
    const GranuleWords words{epochs(), variant.has_writes ? writes : nullptr, sinces,
                             variant.has_others ? others : nullptr, readers};
    const auto left = pass_words(variant.check, words, variant.which, word, 1);
    return left == (passes ? 0 : 2) && writes[1] == expected[0] && sinces[1] == expected[1] &&
           others[1] == expected[2] &&
           writes[0] == (variant.check.is_write && variant.which != 2 ? word : 0);
  };
  const std::span all(some);
  // Words of an array that the check does not have are not varied.
  for (const PassVariant &variant : pass_variants(check))
    for (uint32_t write : variant.has_writes ? all : all.first(1))
      for (uint32_t since : all)
        for (uint32_t other : variant.has_others ? all : all.first(1))
          ASSERT_TRUE(is_same(variant, write, since, other))
              << write << " " << since << " " << other;
  EXPECT_GT(passed, 1000u);
}

TEST_F(QuickChecks, TwoThatReadAreLeftAsTheGranuleBeforeHasThem) {
  const uint32_t write = at(131, 3), two = page.sinces()[1];
  uint32_t since = at(136, 3), left = write;
  EXPECT_TRUE(check.pass({epochs(), &left, &since, nullptr, readers}, 0, word + 1));
  EXPECT_EQ(since, two);
  EXPECT_EQ(left, write);
  EXPECT_TRUE(check.pass({epochs(), &left, &since, nullptr, readers}, 0, word + 1)); // again
  EXPECT_EQ(since, two);
  EXPECT_FALSE(check.pass({epochs(), &left, &since, nullptr, readers}, 0, word + 2));
  since = at(136, 2);
  EXPECT_FALSE(check.pass({epochs(), &left, &since, nullptr, readers}, 0, word + 1));
}

TEST_F(QuickChecks, PlacesPassAsEachOfThemDoes) {
  std::mt19937 random(1);
  for (unsigned round = 0; round != 20000; ++round) {
    QuickCheck now = check;
    now.is_write = random() % 2;
    now.is_atomic = !now.is_write && random() % 2;
    now.two_stand_for_all = random() % 2;
    now.has_one_block = now.two_stand_for_all && random() % 2;
    now.names_both = random() % 2;
    const bool has_others = random() % 2, has_writes = now.is_write || random() % 2;
    uint32_t now_at[3][40], expected[3][40], places[16];
    for (auto &words : now_at)
      for (uint32_t &one : words)
        one = some[random() % some.size()];
    std::memcpy(expected, now_at, sizeof expected);
    const uint32_t which = random() % 65536;
    for (uint32_t &place : places)
      place = random() % 40;
    const GranuleWords words{epochs(), has_writes ? now_at[0] : nullptr, now_at[1],
                             has_others ? now_at[2] : nullptr, readers};
    uint32_t left = pass_places(now, words, which, places, word);
    EXPECT_EQ(left & ~which, 0u);
    bool was_used[40] = {};
    for (unsigned lane = 0; lane != 16; ++lane) {
      if (!(which >> lane & 1))
        continue;
      const uint32_t place = places[lane];
      if (std::exchange(was_used[place], true)) {
        if (left >> lane & 1)
          continue; // not passed together; it may pass alone
      }
      const bool passes = now.pass({epochs(), has_writes ? expected[0] : nullptr, expected[1],
                                    has_others ? expected[2] : nullptr, readers},
                                   place, word + lane);
      ASSERT_EQ(passes, !(left >> lane & 1)) << round << " " << lane;
    }
    ASSERT_EQ(std::memcmp(expected, now_at, sizeof expected), 0) << round;
  }
}

TEST(SixteenAddresses, AreOneAfterTheOtherOrOnAPage) {
  std::mt19937 random(1);
  unsigned rows = 0;
  for (unsigned round = 0; round != 20000; ++round) {
    const uint32_t lanes = random() % 65535 + 1, size = 1u << random() % 4;
    uintptr_t at[16];
    const uintptr_t first = 0x12345f00 + random() % 64;
    for (unsigned lane = 0; lane != 16; ++lane)
      at[lane] = first + lane * size * (random() % 20 ? 1 : random() % 300);
    const SixteenAddresses given{at, lanes};
    bool is_row = true;
    uintptr_t all = 0, reported = 0;
    uint32_t here = 0, places[16];
    const unsigned begin = unsigned(std::countr_zero(lanes));
    for (unsigned lane = 0; lane != 16; ++lane)
      if (lanes >> lane & 1) {
        is_row = is_row && at[lane] == at[begin] + (lane - begin) * size;
        if (at[lane] >= 0x12345000 && at[lane] < 0x12346000) {
          here |= 1u << lane;
          all |= at[lane] - 0x12345000;
        }
      }
    rows += is_row;
    ASSERT_EQ(given.are_row(size), is_row);
    ASSERT_EQ(given.on_page(0x12345000, size, places, reported), here);
    ASSERT_EQ(reported, all);
    for (unsigned lane = 0; lane != 16; ++lane)
      if (here >> lane & 1) {
        ASSERT_EQ(places[lane], (at[lane] - 0x12345000) / size);
      }
  }
  EXPECT_GT(rows, 1000u);
  EXPECT_LT(rows, 19000u);
}

// On two pages, on one, and with contexts that are known to be of earlier launches.
TEST(SixteenAddresses, LeaveAtomicsAsEachOfThemWould) {
  constexpr uint32_t horizon = 100, contexts = 5, now = 4;
  constexpr uintptr_t begins[] = {0x12346000, 0x12345000};
  const uint32_t epochs[contexts] = {0, 99, 130, 98, 131};
  auto word_of = [](uint32_t context, uint32_t run, uint32_t item) {
    return context << RecordWord::context_shift | RecordWord::atomic_bit | run | item;
  };
  std::mt19937 random(1);
  unsigned several = 0, refused = 0;
  for (unsigned round = 0; round != 20000; ++round) {
    const uint32_t granule = random() % 8 ? 4 : 1, many = uint32_t(1 + random() % 2),
                   lanes = uint32_t(random() % 65535 + 1), item = uint32_t(random() % 40);
    static uint32_t words[2][ShadowPage::bytes], expected[2][ShadowPage::bytes];
    AtomicsOnPage pages[2];
    for (unsigned page = 0; page != 2; ++page) {
      for (uint32_t &word : words[page])
        word = 0;
      for (unsigned place = 0; place != 32; ++place)
        for (unsigned end : {0u, unsigned(ShadowPage::bytes) / granule - 32})
          words[page][end + place] =
              random() % 4 ? word_of(random() % contexts, random() % 2 ? RecordWord::several : 0,
                                     random() % 60)
                           : 0;
      std::memcpy(expected[page], words[page], sizeof words[page]);
      pages[page] = {begins[page], words[page], epochs, uint32_t(random() % 3), word_of(now, 0, 0)};
    }
    uintptr_t at[16];
    for (uintptr_t &each : at)
      each = 0x12346000 + (random() % 64 - 32) * 4 + (random() % 32 ? 0 : random() % 4);
    uint32_t done = 0;
    for (unsigned lane = 0; lane != 16; ++lane)
      for (unsigned page = 0; page != many; ++page) {
        const uintptr_t offset = at[lane] - begins[page];
        if (!(lanes >> lane & 1) || offset >= ShadowPage::bytes || offset % granule)
          continue;
        uint32_t &word = expected[page][offset / granule];
        const uint32_t mine = word_of(now, 0, item + lane);
        if (RecordWord::context(word) == now) {
          if ((word & RecordWord::item_mask) != item + lane)
            word |= RecordWord::several;
          several += (word & RecordWord::run_mask) != 0;
        } else if (epochs[RecordWord::context(word)] < horizon) {
          word = mine;
        } else {
          ++refused;
          continue;
        }
        done |= 1u << lane;
      }
    // If two lanes of one cell are left, the words are the same in any order.
    ASSERT_EQ((SixteenAddresses{at, lanes}.leave_atomics({pages, many}, granule, horizon, item)),
              done)
        << round;
    for (unsigned page = 0; page != 2; ++page)
      ASSERT_EQ(std::memcmp(words[page], expected[page], sizeof words[page]), 0) << round;
  }
  EXPECT_GT(several, 1000u);
  EXPECT_GT(refused, 1000u);
}

TEST_F(QuickChecks, WhatIsClearlyBefore) {
  EXPECT_TRUE(check.passes(epochs(), some[0], 3));
  EXPECT_TRUE(check.passes(epochs(), at(131, 9), 3));     // before the barrier
  EXPECT_FALSE(check.passes(epochs(), at(132, 9), 3));    // after the barrier
  EXPECT_TRUE(check.passes(epochs(), at(132, 3), 3));     // the same work-item
  EXPECT_FALSE(check.passes(epochs(), at(144, 3), 3));    // of another group
  EXPECT_FALSE(check.passes(epochs(), at(131, 4096), 3)); // a copy without a wait
}

TEST_F(QuickChecks, TwoThatDoTheSameStandForAll) {
  EXPECT_FALSE(joins(check, at(140, 3), at(140, 4)));
  QuickCheck two = check;
  two.two_stand_for_all = true;
  EXPECT_TRUE(joins(two, at(140, 3), at(140, 4)));
  EXPECT_TRUE(joins(two, at(132, 3), at(140, 4)));  // at another source place
  EXPECT_FALSE(joins(two, at(131, 4), at(140, 4))); // before the barrier
  EXPECT_FALSE(joins(two, at(144, 4), at(140, 4))); // of another group
  EXPECT_FALSE(joins(two, at(140, 4096), at(140, 4)));
  EXPECT_FALSE(joins(two, at(140, 3) | RecordWord::atomic_bit, at(140, 4)));
  two.is_atomic = true;
  EXPECT_TRUE(joins(two, at(140, 3), at(140, 4)));
  EXPECT_FALSE(joins(two, at(132, 3), at(140, 4)));
  const uint32_t both = QuickCheck::of_both(at(140, 3), at(140, 4), at(99, 7));
  EXPECT_EQ(both, at(140, 3) | RecordWord::several);
  EXPECT_EQ(QuickCheck::of_both(at(140, 3), at(140, 4), at(99, 3)),
            at(140, 4) | RecordWord::several); // item 3 has written it, and may write again
  EXPECT_EQ(QuickCheck::of_both(both, at(140, 5), at(99, 7)), both);
  EXPECT_EQ(QuickCheck::of_both(at(140, 3), at(140, 3), at(99, 7)), at(140, 3));
  EXPECT_FALSE(two.passes(epochs(), both, 3)); // `both` has another work-item, too
  const AccessRecord record = page.record(both);
  EXPECT_TRUE(record.are_several);
  EXPECT_EQ(record.last_item, 3);
  EXPECT_EQ(*RecordWord::of(record, RecordWord::context(both)), both);
}

} // namespace
} // namespace lockstep::runtime
