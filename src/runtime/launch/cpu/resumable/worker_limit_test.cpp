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
  explicit Simulation(std::function<double(unsigned)> rate, double waiting = 0.5)
      : rate_(std::move(rate)), waiting_(waiting) {}

  // Returns the groups that complete in that time.
  double run(uint64_t duration) {
    const double before = completed_;
    for (const uint64_t end = now_ + duration; now_ < end; now_ += 5 * microsecond) {
      completed_ += 5 * rate_(limit.limit());
      limit.update(now_, [this] {
        ++samples;
        const auto completed = uint64_t(completed_);
        return WorkerLimit::Sample{completed, completed, uint64_t(waiting_ * completed_)};
      });
    }
    return completed_ - before;
  }
  uint64_t now() const { return now_; }
  void set_rate(std::function<double(unsigned)> rate) { rate_ = std::move(rate); }

  WorkerLimit limit{workers, 0};
  int samples = 0;

private:
  std::function<double(unsigned)> rate_;
  const double waiting_; // part of the groups
  uint64_t now_ = 0;
  double completed_ = 0;
};

TEST(WorkerLimit, KeepsAllWorkersIfTheyAreFaster) {
  Simulation launch([](unsigned limit) { return 1.0 * limit; });
  const double all = launch.run(100 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
  EXPECT_GT(all, 0.95 * 100'000 * workers);
}

// Each attempt with fewer workers costs time.
TEST(WorkerLimit, SoonSeesThatFewerWorkersAreSlower) {
  Simulation launch([](unsigned limit) { return 1.0 * limit; });
  EXPECT_GT(launch.run(3 * millisecond), 0.95 * 3'000 * workers);
  EXPECT_EQ(launch.limit.limit(), workers);
}

TEST(WorkerLimit, KeepsOneWorkerIfTheOthersHurt) {
  Simulation launch([](unsigned limit) { return 8.0 / limit; });
  const double all = launch.run(100 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
  EXPECT_GT(all, 0.95 * 100'000 * 8);
}

TEST(WorkerLimit, FindsANumberBetween) {
  Simulation launch([](unsigned limit) { return limit == 4 ? 8.0 : 4.0; });
  launch.run(2 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 4U);
}

TEST(WorkerLimit, FindsOneWorkerWithinHalfAMillisecond) {
  Simulation launch([](unsigned limit) { return 8.0 / limit; });
  launch.run(500 * microsecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
}

TEST(WorkerLimit, FollowsALaunchThatChanges) {
  Simulation launch([](unsigned limit) { return 8.0 / limit; });
  launch.run(50 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
  launch.set_rate([](unsigned limit) { return 1.0 * limit; });
  launch.run(400 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
  launch.set_rate([](unsigned limit) { return 8.0 / limit; });
  launch.run(400 * millisecond);
  EXPECT_EQ(launch.limit.limit(), 1U);
}

TEST(WorkerLimit, MeasuresNothingIfFewGroupsWait) {
  Simulation launch([](unsigned limit) { return 8.0 / limit; }, 0.05);
  launch.run(100 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
}

TEST(WorkerLimit, KeepsAllWorkersIfGroupsRarelyComplete) {
  Simulation launch([](unsigned) { return 0.001; });
  launch.run(100 * millisecond);
  EXPECT_EQ(launch.limit.limit(), workers);
}

TEST(WorkerLimit, AdmitsSoManyWorkers) {
  Simulation launch([](unsigned limit) { return 8.0 / limit; });
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
  Simulation launch([](unsigned limit) { return 8.0 / limit; });
  launch.run(millisecond);
  EXPECT_TRUE(launch.limit.enter(launch.now()));
  EXPECT_FALSE(launch.limit.enter(launch.now()));
  const uint64_t later = launch.limit.next_change() + 1;
  for (unsigned i = 1; i < workers; ++i)
    EXPECT_TRUE(launch.limit.enter(later));
}

} // namespace
} // namespace lockstep::runtime
