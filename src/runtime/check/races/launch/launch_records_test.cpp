#include "runtime/check/races/launch/launch_records.h"

#include "runtime/check/options/check_memory.h"

#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace lockstep::runtime {
namespace {

// Sets aside the records that other launches of this process have left.
class LentRecords : public testing::Test {
protected:
  LentRecords() {
    for (auto each = LaunchRecords::borrow(); each->groups.count() != 0;
         each = LaunchRecords::borrow())
      others_.push_back(std::move(each));
  }
  ~LentRecords() override {
    for (auto &each : others_)
      LaunchRecords::give_back(std::move(each));
  }

private:
  std::vector<std::unique_ptr<LaunchRecords>> others_;
};

// Takes this many groups at once, like a launch whose groups all wait for each other.
void take_groups(LaunchRecords &records, std::size_t count) {
  std::vector<CheckedGroup *> taken;
  for (std::size_t i = 0; i != count; ++i)
    taken.push_back(&records.groups.take());
  for (CheckedGroup *group : taken)
    records.groups.give_back(*group);
}

TEST_F(LentRecords, AreLentAgain) {
  auto records = LaunchRecords::borrow();
  const LaunchRecords *const known = records.get();
  take_groups(*records, 3);
  LaunchRecords::give_back(std::move(records));
  records = LaunchRecords::borrow();
  EXPECT_EQ(records.get(), known);
  EXPECT_EQ(records->groups.count(), 3u);
  LaunchRecords::give_back(std::move(records));
}

TEST_F(LentRecords, AreKeptForTheNextLaunchWithUpTo8192Groups) {
  constexpr std::size_t most = 8192;
  auto records = LaunchRecords::borrow();
  take_groups(*records, most);
  LaunchRecords::give_back(std::move(records));
  records = LaunchRecords::borrow();
  EXPECT_EQ(records->groups.count(), most);
  take_groups(*records, most + 1);
  LaunchRecords::give_back(std::move(records));
  records = LaunchRecords::borrow();
  EXPECT_LE(records->groups.count(), most);
  take_groups(*records, 1); // they are usable
  LaunchRecords::give_back(std::move(records));
}

// The pages of 64 MiB and more are not made again for each launch.
TEST_F(LentRecords, KeepManyPages) {
  constexpr std::size_t many = 20'000;
  auto records = LaunchRecords::borrow();
  for (std::size_t i = 0; i != many; ++i)
    (void)records->shadow.page((i + 1) * ShadowPage::bytes);
  const LaunchRecords *const before = records.get();
  const std::size_t pages = records->shadow.pages();
  LaunchRecords::give_back(std::move(records));
  records = LaunchRecords::borrow();
  EXPECT_EQ(records.get(), before);
  EXPECT_EQ(records->shadow.pages(), pages);
  records.reset(); // other tests need no such pages
}

TEST_F(LentRecords, EpochsOfEarlierLaunchesAreBelowTheHorizon) {
  auto records = LaunchRecords::borrow();
  EpochBlocks own{};
  const Epoch first = records->owners.add(7, own);
  EXPECT_GE(first, records->owners.horizon());
  EXPECT_EQ(records->owners.of(first), 7u);
  LaunchRecords::give_back(std::move(records));
  records = LaunchRecords::borrow();
  EXPECT_LT(first, records->owners.horizon());
  LaunchRecords::give_back(std::move(records));
}

TEST_F(LentRecords, EpochsEndWithTheLastBlock) {
  constexpr Epoch left = 300;
  EpochOwners::begin_with(Epoch(EpochOwners::blocks - left));
  EpochOwners owners;
  EpochOwners::begin_with(1);
  EpochBlocks own{};
  std::vector<Epoch> epochs;
  EXPECT_THROW(for (uint32_t group = 0;; ++group) epochs.push_back(owners.add(group, own)),
               std::bad_alloc);
  EXPECT_TRUE(owners.are_used_up());
  EXPECT_GT(epochs.size(), left / 2);
  EXPECT_LT(epochs.size(), left);
  for (uint32_t group = 0; group != epochs.size(); ++group) {
    EXPECT_EQ(owners.of(epochs[group]), group);
    EXPECT_TRUE(group == 0 || epochs[group] > epochs[group - 1]);
  }
}

TEST_F(LentRecords, AreGivenBackWithTheMemoryOfTheirEpochs) {
  const uint64_t before = CheckMemory::used();
  {
    EpochOwners owners;
    EpochBlocks own{};
    for (uint32_t group = 0; group != 100'000; ++group)
      (void)owners.add(group, own);
    EXPECT_GE(CheckMemory::used(), before + 100'000 * sizeof(uint32_t));
  }
  EXPECT_EQ(CheckMemory::used(), before);
}

} // namespace
} // namespace lockstep::runtime
