// Tests deadlock detection: deadlocked launches end with a report, and other waiting launches
// continue.
#include "runtime/launch/cpu/diagnostics/test_deadlocks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>

namespace lockstep::runtime {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST_F(Deadlocks, EndWithAReport) {
  CommandRef command = enqueue<wait_for_flag>(queue, 100);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(
      error_of(*command),
      HasSubstr("kernel 'waits' is deadlocked: all of its work-groups that run wait (100 wait"));
  EXPECT_THAT(error_of(*command), HasSubstr("work-groups 0 to 99 (work-item 0 of work-group "));
  EXPECT_THAT(error_of(*command), HasSubstr("wait at test.cl:10:5 for byte 0 of the buffer of"));
  EXPECT_THAT(error_of(*command), HasSubstr("that is argument 0 'shared', which holds 0"));
  std::ifstream file(report_file);
  std::string line, last;
  while (std::getline(file, line))
    last = line;
  EXPECT_THAT(last, HasSubstr(R"("kind":"deadlock","kernel":"waits","waiting_groups":100)"));
  EXPECT_THAT(last, HasSubstr(R"("place":"test.cl:10:5")"));
  std::remove(report_file.c_str());
  // The queue stays usable.
  EXPECT_EQ(enqueue<set_flag>(queue, 1)->wait(), status::complete);
}

// Groups 0 and 1 take two locks in opposite order.
Step take_two_locks(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  std::atomic<uint32_t> &first = frame.number() ? shared.lock : shared.other;
  std::atomic<uint32_t> &next = frame.number() ? shared.other : shared.lock;
  if (frame.state == 0) {
    if (uint32_t seen = first.exchange(1))
      return frame.wait_for(first, seen);
    frame.state = 1;
    ++shared.counter;
  }
  if (frame.state == 1) { // until both have a lock
    if (uint32_t seen = shared.counter; seen < 2)
      return frame.wait_for(shared.counter, seen);
    frame.state = 2;
  }
  if (uint32_t seen = next.exchange(1))
    return frame.wait_for(next, seen, 1);
  return frame.done();
}

TEST_F(Deadlocks, OfTwoLocksNameBoth) {
  CommandRef command = enqueue<take_two_locks>(queue, 2);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(error_of(*command),
              HasSubstr("work-group 0 (work-item 0) wait at test.cl:11:5 for byte 8 "));
  EXPECT_THAT(error_of(*command),
              HasSubstr("work-group 1 (work-item 0) wait at test.cl:11:5 for byte 12 "));
}

TEST_F(Deadlocks, OfTwoLaunchesEndBoth) {
  CommandRef one = enqueue<wait_for_flag>(queue, 3);
  CommandRef two = enqueue<wait_for_flag>(second, 3);
  EXPECT_EQ(one->wait(), status::out_of_resources);
  EXPECT_EQ(two->wait(), status::out_of_resources);
}

// The launches are dead only together, so they must be examined together, although they became
// quiet at different times.
TEST_F(Deadlocks, OfLaunchesThatCameOneAfterTheOtherEndAll) {
  const auto begin = std::chrono::steady_clock::now();
  for (auto distance : {37ms, 41ms, 45ms, 50ms, 55ms, 59ms, 63ms, 69ms, 74ms, 78ms, 82ms, 91ms}) {
    CommandRef one = enqueue<wait_for_flag>(queue, 3);
    std::this_thread::sleep_for(distance);
    CommandRef two = enqueue<wait_for_flag>(second, 3);
    EXPECT_EQ(one->wait(), status::out_of_resources);
    EXPECT_EQ(two->wait(), status::out_of_resources);
  }
  if (!has_threads_of_sanitizer)                              // detection waits for these threads
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s); // 2 s on a quiet machine
}

// The second launch is not deadlocked: it waits for a command that comes after the first launch,
// which is.
TEST_F(Deadlocks, EndFirstWhatOthersComeAfter) {
  CommandRef helped = enqueue<wait_for_flag>(second, 3);
  CommandRef dead = enqueue<wait_for_counter>(queue, 3);
  CommandRef helper = enqueue<set_flag>(queue, 1);
  EXPECT_EQ(helped->wait(), status::complete);
  EXPECT_EQ(dead->wait(), status::out_of_resources);
  EXPECT_EQ(helper->wait(), status::complete);
}

TEST_F(Deadlocks, AtBarriersNameWhoArrivedAndWhoLeft) {
  CommandRef command = enqueue<leave_before_barrier>(queue, 30, 10);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(error_of(*command),
              HasSubstr("(work-items 0-3, 8-9) have arrived at the barrier at test.cl:20:3"));
  EXPECT_THAT(error_of(*command), HasSubstr("(work-items 4-7) have returned"));
}

// Sub-group 1 waits for a flag that sub-group 0 sets after the barrier.
Step wait_beside_barrier(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.sub_group == 1 && shared.flag == 0)
    return frame.wait_for(shared.flag, 0);
  if (frame.state++ == 0)
    return frame.at_barrier();
  shared.flag = 1;
  return frame.done();
}

TEST_F(Deadlocks, AtBarriersNameWhoWaitsElsewhere) {
  CommandRef command = enqueue<wait_beside_barrier>(queue, 8, 8);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(error_of(*command),
              HasSubstr("(work-items 0-3) have arrived at the barrier at test.cl:20:3"));
  EXPECT_THAT(error_of(*command), HasSubstr("(work-items 4-7) wait at test.cl:10:5"));
}

Step meet_at_two_barriers(TestFrame &frame) {
  if (frame.state++ == 0)
    return frame.at_barrier(frame.sub_group == 0 ? 2 : 3);
  return frame.done();
}

TEST_F(Deadlocks, AtTwoBarriersNameBoth) {
  CommandRef command = enqueue<meet_at_two_barriers>(queue, 8, 8);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(error_of(*command), HasSubstr("at test.cl:20:3"));
  EXPECT_THAT(error_of(*command), HasSubstr("at test.cl:30:3"));
}

// Two reads per iteration.
Step wait_for_two(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.read(shared.other, 1) == 7 && frame.read(shared.flag, 2) == 0)
    return frame.wait_after_reads(frame.ticks++ == 0);
  return frame.done();
}

TEST_F(Deadlocks, NameAllThatIsReadInARound) {
  shared.other = 7;
  CommandRef command = enqueue<wait_for_two>(queue, 2);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(error_of(*command),
              HasSubstr("wait at test.cl:11:5 for byte 12 of the buffer of 24 bytes that is "
                        "argument 0 'shared' (read at test.cl:12:7), which holds 7 and byte 0 of "
                        "the buffer of 24 bytes that is argument 0 'shared' (read at "
                        "test.cl:13:7), which holds 0"));
}

TEST_F(Deadlocks, GiveValuesAsTheKernelSeesThem) {
  auto below_zero = [](TestFrame &frame) -> Step {
    Shared &shared = shared_of(frame);
    if (shared.flag == 0xfffffffe)
      return frame.wait_for(shared.flag, 0xfffffffe);
    return frame.done();
  };
  shared.flag = 0xfffffffe;
  CommandRef command = enqueue<+below_zero>(queue, 2);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(error_of(*command), HasSubstr("which holds -2"));
}

// Sub-group 0 reads the flag, and all get the value at a barrier, as in work_group_broadcast.
Step wait_by_broadcast(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.state == 0) {
    if (frame.sub_group == 0)
      frame.read(shared.flag, 1);
    frame.state = 1;
    return frame.at_barrier();
  }
  frame.state = 0;
  ++shared.finished; // statistics only
  if (shared.flag == 0)
    return frame.wait_after_reads(frame.ticks++ == 0);
  return frame.done();
}

TEST_F(Deadlocks, AreSeenThroughBarriers) {
  CommandRef command = enqueue<wait_by_broadcast>(queue, 80, 8);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(error_of(*command), HasSubstr("wait at test.cl:12:7 for byte 0 of the buffer"));
}

// A read under a lock changes the lock, and so the values that others see.
Step wait_under_lock(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  const uint32_t before = shared.lock.exchange(1);
  const bool has_changed = std::exchange(frame.ticks, before) != before;
  if (before == 0) {
    const bool may_go_on = shared.flag != 0;
    shared.lock = 0;
    if (may_go_on)
      return frame.done();
  }
  return frame.wait_for(shared.lock, before, 1, has_changed);
}

TEST_F(Deadlocks, AreSeenAmongThoseWhoTakeAndGiveBackALock) {
  CommandRef command = enqueue<wait_under_lock>(queue, 1000);
  EXPECT_EQ(command->wait(), status::out_of_resources);
}

// Takes a lock to read the flag under it, and waits at another site while the lock is taken. Some
// owners sleep, so that there is always a group that waits for the lock, and continues later.
Step try_and_look(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.lock.exchange(1) != 0)
    return frame.wait_for(shared.lock, 1, 1, std::exchange(frame.state, 1U) != 1);
  if (frame.number() % 128 == 0)
    std::this_thread::sleep_for(200us);
  const uint32_t flag = shared.flag;
  shared.lock = 0;
  return flag == 0 ? frame.wait_for(shared.flag, flag, 4, std::exchange(frame.state, 2U) != 2)
                   : frame.done();
}

// They never come to rest while several workers poll them: a group only changes from one wait to
// the other.
TEST_F(Deadlocks, AreSeenAmongThoseWhoKeepEachOtherGoing) {
  if (has_threads_of_sanitizer)
    GTEST_SKIP() << "beside threads that may help, a launch is given time from its last advance on";
  CommandRef command = enqueue<try_and_look>(queue, 1000);
  EXPECT_EQ(command->wait(), status::out_of_resources);
}

TEST_F(Deadlocks, AreFoundBesideALaunchThatGoesOn) {
  std::shared_ptr<Buffer> buffer = make_buffer();
  Shared &others = shared_in(*buffer);
  CommandRef living = enqueue_on<count_until_flag>(buffer, second, 10);
  CommandRef dead = enqueue<wait_for_flag>(queue, 10);
  CommandRef behind = enqueue<wait_for_counter>(queue, 10); // uses the same memory, but comes after
  const auto begin = std::chrono::steady_clock::now();
  WaitingLaunches::instance().set_patience(has_threads_of_sanitizer ? 3s : 60s);
  EXPECT_EQ(dead->wait(), status::out_of_resources);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 15s);
  EXPECT_EQ(living->status(), status::running);
  shared.counter = 1;
  EXPECT_EQ(behind->wait(), status::complete);
  others.flag = 1;
  EXPECT_EQ(living->wait(), status::complete);
}

std::atomic<bool> may_end;
Step run_until_told(TestFrame &frame) {
  const auto begin = std::chrono::steady_clock::now();
  while (!may_end && std::chrono::steady_clock::now() - begin < 20s)
    std::this_thread::sleep_for(1ms);
  return frame.done();
}

TEST_F(Deadlocks, AreFoundWhileAllWorkersAreBusy) {
  std::shared_ptr<Buffer> buffer = make_buffer();
  may_end = false;
  CommandRef dead = enqueue<wait_for_flag>(queue, 10);
  std::this_thread::sleep_for(50ms); // until its groups wait
  CommandRef living = enqueue_on<run_until_told>(buffer, second, 4);
  WaitingLaunches::instance().set_patience(has_threads_of_sanitizer ? 3s : 60s);
  EXPECT_EQ(dead->wait(), status::out_of_resources);
  EXPECT_EQ(living->status(), status::running);
  may_end = true;
  EXPECT_EQ(living->wait(), status::complete);
}

TEST_F(Deadlocks, AreNotHeldUpByThreadsThatSleep) {
  if (has_threads_of_sanitizer)
    GTEST_SKIP() << "threads of the sanitizer do not sleep";
  WaitingLaunches::instance().set_patience(10min);
  std::mutex mutex;
  std::condition_variable end;
  bool is_over = false;
  std::thread idle([&] {
    std::unique_lock lock(mutex);
    end.wait(lock, [&] { return is_over; });
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(enqueue<wait_for_flag>(queue, 10)->wait(), status::out_of_resources);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 15s);
  {
    std::lock_guard lock(mutex);
    is_over = true;
  }
  end.notify_one();
  idle.join();
}

TEST_F(Deadlocks, AreWarnedOfBeforeTheyEnd) {
  WaitingLaunches::instance().set_patience(200ms, 3s);
  std::atomic<bool> is_over = false;
  std::thread busy([&] {
    while (!is_over)
      std::this_thread::sleep_for(5ms);
  });
  CommandRef command = enqueue<wait_for_flag>(queue, 10);
  std::thread waiting([&] { command->wait(); });
  wait_for_standstill();
  EXPECT_EQ(command->status(), status::running);
  EXPECT_EQ(client.warnings_of_standstill, 1);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  waiting.join();
  is_over = true;
  busy.join();
}

std::atomic<uint64_t> last_start;

Step start_and_wait_for_flag(TestFrame &frame) {
  if (std::exchange(frame.state, 1U) == 0)
    last_start = now_nanoseconds();
  return wait_for_flag(frame);
}

// An examination of a million groups takes 0.15 s on an idle core; here the core may be shared.
TEST_F(Deadlocks, AreFoundSoonAmongAMillionGroups) {
  CommandRef command = enqueue<start_and_wait_for_flag>(queue, 1 << 20);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  const uint64_t took = now_nanoseconds() - last_start;
  RecordProperty("milliseconds", int(took / 1'000'000));
  EXPECT_LT(took, 20'000'000'000U);
  EXPECT_THAT(error_of(*command), HasSubstr("work-groups 0 to 1048575 (work-item 0 of work-group"));
}

// Allocations whose address the program knows.
TEST_F(Deadlocks, NameTheAllocationThatIsWaitedFor) {
  const Allocations::Known made = allocate(AllocationKind::device);
  CommandRef waiting = enqueue_on<wait_for_flag>(made->memory, queue, 10);
  EXPECT_EQ(waiting->wait(), status::out_of_resources);
  EXPECT_THAT(
      error_of(*waiting),
      HasSubstr(fmt::format("byte 0 of the device allocation of {} bytes that is argument 0 "
                            "'shared'",
                            sizeof(Shared))));
  Allocations::instance().remove(made->begin());
}

// A launch that reaches only other kinds, or that comes after, cannot help.
TEST_F(Deadlocks, AreFoundBesideALaunchThatDoesNotReachTheAllocation) {
  const Allocations::Known made = allocate(AllocationKind::device);
  std::shared_ptr<Buffer> buffer = make_buffer();
  reach = set_of(AllocationKind::shared);
  CommandRef living = enqueue_on<count_until_flag>(buffer, second, 10);
  reach = all_allocations;
  CommandRef dead = enqueue_on<wait_for_flag>(made->memory, queue, 10);
  CommandRef behind = enqueue<set_flag>(queue, 1);
  EXPECT_EQ(dead->wait(), status::out_of_resources);
  EXPECT_EQ(living->status(), status::running);
  shared_in(*buffer).flag = 1;
  EXPECT_EQ(living->wait(), status::complete);
  behind->wait();
  Allocations::instance().remove(made->begin());
}

} // namespace
} // namespace lockstep::runtime
