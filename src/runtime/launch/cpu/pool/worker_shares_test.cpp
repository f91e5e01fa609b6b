#include "runtime/launch/cpu/pool/worker_shares.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using Range = WorkerShares::Range;

// The ranges that each worker takes, in order, if the workers take turns.
std::vector<std::vector<Range>> all_of(WorkerShares &shares, unsigned workers, uint64_t least) {
  std::vector<std::vector<Range>> taken(workers);
  for (bool any = true; any;) {
    any = false;
    for (unsigned worker = 0; worker < workers; ++worker)
      if (const Range range = shares.take(worker, least); range.size() > 0) {
        taken[worker].push_back(range);
        any = true;
      }
  }
  return taken;
}

TEST(WorkerShares, LieAtTheSamePlaceEachTime) {
  constexpr unsigned workers = 16;
  constexpr uint64_t parts = 2048;
  for (int launch = 0; launch < 2; ++launch) {
    WorkerShares shares(parts, workers);
    const auto taken = all_of(shares, workers, 4);
    for (unsigned worker = 0; worker < workers; ++worker) {
      uint64_t next = parts * worker / workers;
      for (const Range &range : taken[worker]) {
        EXPECT_EQ(range.begin, next);
        next = range.end;
      }
      EXPECT_EQ(next, parts * (worker + 1) / workers);
    }
  }
}

TEST(WorkerShares, OfThoseWhoDoNotComeAreRunByOthers) {
  constexpr uint64_t parts = 1001;
  WorkerShares shares(parts, 4);
  std::vector<int> runs(parts);
  for (Range range = shares.take(2, 1); range.size() > 0; range = shares.take(2, 1))
    for (uint64_t i = range.begin; i < range.end; ++i)
      ++runs[i];
  EXPECT_EQ(runs, std::vector<int>(parts, 1));
  EXPECT_EQ(shares.left(), 0U);
}

TEST(WorkerShares, AreLeftToNobodyAfterAnError) {
  WorkerShares shares(1000, 3);
  const uint64_t taken = shares.take(0, 1).size() + shares.take(1, 400).size();
  EXPECT_EQ(shares.left(), 1000 - taken);
  EXPECT_EQ(shares.take_all(), 1000 - taken);
  EXPECT_EQ(shares.take_all(), 0U);
  EXPECT_EQ(shares.take(2, 1).size(), 0U);
}

TEST(WorkerShares, FitWhereEachWorkerHasSomeParts) {
  EXPECT_FALSE(WorkerShares::fit(16, 16));
  EXPECT_TRUE(WorkerShares::fit(16 * WorkerShares::least_parts_for_each, 16));
  EXPECT_FALSE(WorkerShares::fit(uint64_t{1} << 32, 16));
}

TEST(WorkerShares, GiveEachPartToOneOfManyThreads) {
  constexpr unsigned workers = 5;
  constexpr uint64_t parts = 20'000;
  for (int launch = 0; launch < 20; ++launch) {
    WorkerShares shares(parts, workers);
    std::vector<std::atomic<int>> runs(parts);
    std::vector<std::thread> threads;
    for (unsigned worker = 0; worker < workers; ++worker)
      threads.emplace_back([&, worker] {
        for (Range range = shares.take(worker, 1); range.size() > 0; range = shares.take(worker, 1))
          for (uint64_t i = range.begin; i < range.end; ++i)
            ++runs[i];
      });
    for (std::thread &thread : threads)
      thread.join();
    for (const auto &count : runs)
      ASSERT_EQ(count, 1);
  }
}

} // namespace
} // namespace lockstep::runtime
