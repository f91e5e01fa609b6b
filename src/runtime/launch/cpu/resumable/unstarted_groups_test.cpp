#include "runtime/launch/cpu/resumable/unstarted_groups.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace lockstep::runtime {
namespace {

using Range = UnstartedGroups::Range;

std::pair<uint64_t, uint64_t> ends(const Range &range) {
  return {range.begin, range.end};
}

// Takes the next groups, of which the fraction `waiting` waits.
Range start(UnstartedGroups &groups, unsigned worker, uint64_t most, double waiting) {
  const Range range = groups.take(worker, most);
  groups.note(worker, range.size(), uint64_t(double(range.size()) * waiting));
  return range;
}

TEST(UnstartedGroups, AreTakenInOrderWhereTheyWait) {
  UnstartedGroups groups(1000, 2);
  // The first groups of each worker show the kind of groups.
  for (unsigned worker : {0, 1})
    for (int i = 0; i < 4; ++i)
      start(groups, worker, 1, 1);
  for (uint64_t next = 8; next < 1000; next += 4) {
    ASSERT_TRUE(groups.any());
    const unsigned worker = next / 4 % 2;
    ASSERT_EQ(ends(start(groups, worker, 4, 1)), std::pair(next, next + 4));
    ASSERT_FALSE(groups.has_claim(worker));
  }
  EXPECT_FALSE(groups.any());
  EXPECT_EQ(groups.take(0, 4).size(), 0U);
}

// The looker of a pool may end a group while it looks for a deadlock. AddressSanitizer sees an
// access to a claim that it does not have.
TEST(UnstartedGroups, AreNeverClaimedByTheLooker) {
  for (unsigned workers : {1u, 2u, 5u}) {
    UnstartedGroups groups(1 << 20, workers);
    for (unsigned worker = 0; worker < workers; ++worker)
      start(groups, worker, 1, 0);
    EXPECT_FALSE(groups.has_claim(workers));
  }
}

TEST(UnstartedGroups, FollowEachOtherOnOneWorkerWhereTheyDoNotWait) {
  constexpr uint64_t count = 1 << 16;
  constexpr unsigned workers = 16;
  UnstartedGroups groups(count, workers);
  std::vector<unsigned> starter(count);
  for (bool any = true; any;) {
    any = false;
    for (unsigned worker = 0; worker < workers; ++worker) {
      const Range range = start(groups, worker, 64, 0);
      for (uint64_t i = range.begin; i < range.end; ++i)
        starter[i] = worker;
      any |= range.size() > 0;
    }
  }
  std::size_t changes = 0;
  for (uint64_t i = 1; i < count; ++i)
    changes += starter[i] != starter[i - 1];
  EXPECT_LT(changes, 200U); // chunks that are handed out alternately would change 1,023 times
}

TEST(UnstartedGroups, AreGivenBackWhenManyWaitAndTheFirstComeFirst) {
  UnstartedGroups groups(10'000, 2);
  start(groups, 0, 4, 0);
  ASSERT_TRUE(groups.has_claim(0));
  const Range before = start(groups, 0, 4, 0);
  for (int i = 0; i < 4; ++i)
    start(groups, 1, 4, 1);
  const Range after = start(groups, 0, 4, 0);
  EXPECT_EQ(ends(after), std::pair(before.end, before.end + 4));
  EXPECT_FALSE(groups.has_claim(0));
  EXPECT_EQ(ends(start(groups, 1, 4, 1)), std::pair(after.end, after.end + 4));
}

TEST(UnstartedGroups, AreFoundInTheClaimsOfOthers) {
  UnstartedGroups groups(1000, 3);
  for (int i = 0; i < 5; ++i)
    start(groups, 0, 4, 0);
  ASSERT_TRUE(groups.has_claim(0));
  std::vector<int> taken(1000);
  for (Range range = groups.take(1, 7); range.size() > 0; range = groups.take(1, 7))
    for (uint64_t i = range.begin; i < range.end; ++i)
      ++taken[i];
  EXPECT_FALSE(groups.any());
  for (uint64_t i = 20; i < 1000; ++i)
    ASSERT_EQ(taken[i], 1) << i;
}

TEST(UnstartedGroups, AreEachStartedOnce) {
  for (uint64_t count : {uint64_t{1}, uint64_t{5}, uint64_t{1000}, uint64_t{100'003}}) {
    constexpr unsigned workers = 4;
    UnstartedGroups groups(count, workers);
    std::vector<std::atomic<int>> taken(count);
    std::vector<std::thread> threads;
    for (unsigned worker = 0; worker < workers; ++worker)
      threads.emplace_back([&, worker] {
        std::mt19937 random(worker);
        while (groups.any()) {
          const double waiting = random() % 64 == 0 ? 1 : 0;
          const Range range = start(groups, worker, 1 + random() % 64, waiting);
          for (uint64_t i = range.begin; i < range.end; ++i)
            taken[i].fetch_add(1, std::memory_order_relaxed);
          if (random() % 32 == 0)
            groups.give_back(worker);
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    // The last worker that returned groups may have checked before.
    for (Range range = groups.take(0, 64); range.size() > 0; range = groups.take(0, 64))
      for (uint64_t i = range.begin; i < range.end; ++i)
        taken[i].fetch_add(1, std::memory_order_relaxed);
    for (const auto &times : taken)
      ASSERT_EQ(times, 1);
  }
}

} // namespace
} // namespace lockstep::runtime
