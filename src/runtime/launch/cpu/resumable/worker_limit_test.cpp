// Tests the limit against launches whose rates for each number of workers are known.
#include "runtime/launch/cpu/resumable/worker_limit.h"

#include <gtest/gtest.h>

#include <functional>

namespace lockstep::runtime {
namespace {

constexpr unsigned workers = 16;
constexpr uint64_t microsecond = 1'000, millisecond = 1'000'000;

// A launch on `workers` workers that complete rate(limit) groups each microsecond.
class Simulation {
public:
  explicit Simulation(std::function<double(unsigned)> rate, double waiting = 0.5,
                      WorkerLimit::Memory *memory = nullptr)
      : limit(workers, 0, memory), rate_(std::move(rate)), waiting_(waiting) {
    EXPECT_TRUE(limit.enter(0)); // the first worker
    limit.leave();
  }

  // Returns the groups that complete in that time, or the waits that end.
  double run(uint64_t duration) {
    const double before = progress_;
    for (const uint64_t end = now_ + duration; now_ < end; now_ += 5 * microsecond) {
      progress_ += 5 * rate_(limit.limit());
      limit.update(now_, [this] { return sample(); });
    }
    return progress_ - before;
  }
  void end() { limit.end(now_, sample()); }
  uint64_t now() const { return now_; }
  void set_rate(std::function<double(unsigned)> rate) { rate_ = std::move(rate); }

  WorkerLimit limit;
  int samples = 0;
  bool has_barriers = false;   // no group completes
  bool all_wait_first = false; // many groups are started that wait

private:
  WorkerLimit::Sample sample() {
    ++samples;
    const auto progress = uint64_t(progress_);
    if (has_barriers)
      return {.completed = 0,
              .completed_late = 0,
              .started = 256,
              .waited = 256,
              .ended_waits = progress};
    const uint64_t started = progress + (all_wait_first ? now_ / 100 : 0),
                   late = uint64_t(waiting_ * progress_);
    return {.completed = progress,
            .completed_late = late,
            .started = started,
            .waited = late + started - progress,
            .ended_waits = 0};
  }

  std::function<double(unsigned)> rate_;
  const double waiting_; // part of the groups
  uint64_t now_ = 0;
  double progress_ = 0;
};

double one_is_best(unsigned limit) {
  return 8.0 / limit;
}

double all_are_best(unsigned limit) {
  return 1.0 * limit;
}

TEST(WorkerLimit, KeepsAllWorkersIfTheyAreFaster) {
  Simulation launch(all_are_best);
  const double all = launch.run(100 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
  EXPECT_GT(all, 0.95 * 100'000 * workers);
}

// Each attempt with fewer workers costs time.
TEST(WorkerLimit, SoonSeesThatFewerWorkersAreSlower) {
  Simulation launch(all_are_best);
  EXPECT_GT(launch.run(3 * millisecond), 0.94 * 3'000 * workers);
  EXPECT_EQ(launch.limit.limit(), workers);
}

TEST(WorkerLimit, KeepsOneWorkerIfTheOthersHurt) {
  Simulation launch(one_is_best);
  const double all = launch.run(100 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
  EXPECT_GT(all, 0.95 * 100'000 * 8);
}

TEST(WorkerLimit, FindsANumberBetween) {
  Simulation launch([](unsigned limit) { return limit == 4 ? 8.0 : 4.0; });
  launch.run(2 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 4U);
}

// The first one was faster when it was alone.
TEST(WorkerLimit, SoonFindsOneWorker) {
  Simulation launch(one_is_best);
  launch.run(100 * microsecond + 50 * microsecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
}

TEST(WorkerLimit, FollowsALaunchThatChanges) {
  Simulation launch(one_is_best);
  launch.run(50 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
  launch.set_rate(all_are_best);
  launch.run(400 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
  launch.set_rate(one_is_best);
  launch.run(400 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
}

TEST(WorkerLimit, MeasuresNothingIfFewGroupsWait) {
  Simulation launch(one_is_best, 0.05);
  launch.run(100 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
}

TEST(WorkerLimit, KeepsAllWorkersIfGroupsRarelyComplete) {
  Simulation launch([](unsigned) { return 0.001; });
  launch.run(100 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
}

TEST(WorkerLimit, BeginsWithOneWorker) {
  WorkerLimit limit(workers, 0);
  EXPECT_EQ(limit.limit(), 1U);
  EXPECT_TRUE(limit.is_alone());
  EXPECT_TRUE(limit.enter(5 * microsecond));
  EXPECT_FALSE(limit.enter(6 * microsecond));
  EXPECT_EQ(limit.update(50 * microsecond, [] { return WorkerLimit::Sample{}; }), 0U)
      << "nobody has to be woken";
  EXPECT_FALSE(limit.is_alone());
  EXPECT_TRUE(limit.enter(51 * microsecond));
}

// Its first group may take long.
// Many groups may start and wait for one that other workers hold up.
TEST(WorkerLimit, TriesOneWorkerIfNearlyAllGroupsWait) {
  Simulation launch([](unsigned limit) { return limit == 1 ? 4.0 : 0.01; });
  launch.all_wait_first = true;
  launch.run(millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
}

// They may have to start, such as those at a barrier of all groups.
TEST(WorkerLimit, SoonAdmitsAllIfNoGroupCompletes) {
  Simulation launch([](unsigned) { return 0.0; });
  launch.all_wait_first = true;
  uint64_t lowered = 0;
  for (int i = 0; i < 20'000; ++i) {
    launch.run(5 * microsecond);
    lowered += launch.limit.is_lowered();
  }
  EXPECT_LT(lowered, 300U);
}

TEST(WorkerLimit, AdmitsAllWhileTheFirstWorkerIsBusy) {
  WorkerLimit limit(workers, 0);
  EXPECT_TRUE(limit.enter(5 * microsecond));
  EXPECT_TRUE(limit.enter(50 * microsecond));
  EXPECT_TRUE(limit.enter(50 * microsecond));
}

TEST(WorkerLimit, BeginsWithAllWorkersIfNoGroupWaits) {
  const WorkerLimit limit(workers, 0, nullptr, /*are_all_first=*/true);
  EXPECT_EQ(limit.limit(), workers);
  EXPECT_FALSE(limit.is_alone());
}

TEST(WorkerLimit, CountsWaitsThatEndIfNoGroupCompletes) {
  Simulation launch(one_is_best);
  launch.has_barriers = true;
  launch.run(millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
  Simulation other(all_are_best);
  other.has_barriers = true;
  EXPECT_GT(other.run(50 * millisecond), 0.95 * 50'000 * workers);
  EXPECT_EQ(other.limit.limit(), workers);
}

// The work of groups between two barriers takes long.
TEST(WorkerLimit, KeepsAllWorkersIfWaitsRarelyEnd) {
  Simulation launch([](unsigned) { return 0.1; });
  launch.has_barriers = true;
  launch.run(20 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
}

// Otherwise a launch would have the wrong limit for milliseconds.
TEST(WorkerLimit, MeasuresAgainIfTheRateFalls) {
  Simulation launch([](unsigned limit) { return limit == 1 ? 4.0 : 8.0; });
  launch.run(millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
  launch.set_rate([](unsigned limit) { return limit == 1 ? 4.0 : 1.0; });
  launch.run(2 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
}

// ---- later launches of the same code

TEST(WorkerLimit, BeginsWithWhatWasFound) {
  WorkerLimit::Memory memory;
  for (int i = 0; i < 2; ++i) { // the second one tries what the first one has found
    Simulation launch(one_is_best, 0.5, &memory);
    launch.run(2 * millisecond);
    launch.end();
  }
  for (int launch = 0; launch < 10; ++launch) {
    Simulation later(one_is_best, 0.5, &memory);
    EXPECT_EQ(later.run(10 * millisecond), 80'000);
    EXPECT_EQ(later.limit.limit(), 1U);
    later.end();
  }
}

TEST(WorkerLimit, ForgetsWhatWasFoundIfGroupsAreSlower) {
  WorkerLimit::Memory memory;
  for (int i = 0; i < 2; ++i) { // the second one tries what the first one has found
    Simulation launch(one_is_best, 0.5, &memory);
    launch.run(2 * millisecond);
    launch.end();
  }
  auto is_slow = [](unsigned limit) { return 0.5 * limit; };
  Simulation later(is_slow, 0.5, &memory);
  later.run(millisecond);
  EXPECT_EQ(later.limit.limit(), workers);
}

// The number that is best in one launch need not be the best one for the next.
TEST(WorkerLimit, ComparesWholeLaunches) {
  WorkerLimit::Memory memory;
  for (const double rate : {8.0, 1.0}) {
    Simulation launch(one_is_best, 0.5, &memory);
    launch.run(400 * microsecond);
    EXPECT_EQ(launch.limit.limit(), 1U);
    launch.set_rate([=](unsigned) { return rate; });
    launch.run(2 * millisecond);
    launch.end();
  }
  EXPECT_EQ(WorkerLimit(workers, 0, &memory).limit(), workers);
}

// Also if they are as fast as before.
TEST(WorkerLimit, SometimesMeasuresAnew) {
  WorkerLimit::Memory memory;
  for (int i = 0; i < 2; ++i) { // the second one tries what the first one has found
    Simulation launch(one_is_best, 0.5, &memory);
    launch.run(2 * millisecond);
    launch.end();
  }
  for (int i = 0; i < 40; ++i) {
    Simulation launch([](unsigned limit) { return 8.0 * limit; }, 0.5, &memory);
    launch.run(2 * millisecond);
    launch.end();
  }
  Simulation last([](unsigned limit) { return 8.0 * limit; }, 0.5, &memory);
  last.run(millisecond);
  EXPECT_EQ(last.limit.limit(), workers);
}

// Launches of 90 microseconds.
TEST(WorkerLimit, TriesOneWorkerInTheNextShortLaunch) {
  for (const bool is_one_best : {true, false}) {
    WorkerLimit::Memory memory;
    for (int i = 0; i < 10; ++i) {
      Simulation launch(is_one_best ? one_is_best : all_are_best, 0.5, &memory);
      launch.run(90 * microsecond);
      launch.end();
      if (i == 1) {
        EXPECT_EQ(launch.limit.limit(), 1U);
      }
      if (i > 1) {
        EXPECT_EQ(launch.limit.limit(), is_one_best ? 1U : workers) << i;
      }
    }
  }
}

TEST(WorkerLimit, DoesNotTryOneWorkerIfFewGroupsWait) {
  WorkerLimit::Memory memory;
  for (int i = 0; i < 10; ++i) {
    Simulation launch(one_is_best, 0.05, &memory);
    launch.run(90 * microsecond);
    launch.end();
    EXPECT_EQ(launch.limit.limit(), workers);
  }
}

// ---- workers

TEST(WorkerLimit, AdmitsSoManyWorkers) {
  Simulation launch(one_is_best);
  launch.run(20 * microsecond);
  for (unsigned i = 0; i < workers; ++i)
    EXPECT_TRUE(launch.limit.enter(launch.now()));
  EXPECT_FALSE(launch.limit.enter(launch.now()));
  launch.run(millisecond);
  for (unsigned i = workers; i > 1; --i) {
    EXPECT_TRUE(launch.limit.is_exceeded());
    EXPECT_TRUE(launch.limit.leave_if_exceeded());
  }
  EXPECT_FALSE(launch.limit.is_exceeded());
  EXPECT_FALSE(launch.limit.leave_if_exceeded()) << "one may stay";
  EXPECT_FALSE(launch.limit.enter(launch.now()));
  launch.limit.leave();
  EXPECT_TRUE(launch.limit.enter(launch.now()));
}

// Otherwise groups that could run would wait for a long one.
TEST(WorkerLimit, AdmitsAllIfTheWorkersInsideNoLongerDecide) {
  Simulation launch(one_is_best);
  launch.run(millisecond);
  EXPECT_TRUE(launch.limit.enter(launch.now()));
  EXPECT_FALSE(launch.limit.enter(launch.now()));
  const uint64_t later = launch.limit.next_change() + 1;
  for (unsigned i = 1; i < workers; ++i)
    EXPECT_TRUE(launch.limit.enter(later));
}

} // namespace
} // namespace lockstep::runtime
