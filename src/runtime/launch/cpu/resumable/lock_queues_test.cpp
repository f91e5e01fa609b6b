// Tests the queues of workers at locks, and groups that stop before they take a lock.
#include "runtime/launch/cpu/resumable/lock_queues.h"

#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/resumable/test_coroutine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::Step;
using compiler::UpdateRequest;

// ---- queues

TEST(LockQueues, GoRound) {
  LockQueues queues(2);
  uint64_t waited = 0;
  const int lock = 0;
  for (unsigned worker : {0U, 1U, 1U, 0U}) {
    ASSERT_TRUE(queues.begin(worker, &lock, waited));
    queues.end(worker);
  }
  EXPECT_EQ(waited, 0U);
  EXPECT_FALSE(queues.pause());
}

TEST(LockQueues, ArePassedOverAfterTheLongestWait) {
  LockQueues queues(4);
  uint64_t waited = 0;
  const int lock = 0;
  ASSERT_TRUE(queues.begin(0, &lock, waited));
  EXPECT_FALSE(queues.begin(1, &lock, waited));
  EXPECT_GE(waited, 100'000U);
  EXPECT_TRUE(queues.pause());
  EXPECT_FALSE(queues.begin(1, &lock, waited)); // it is still in the queue
  EXPECT_FALSE(queues.begin(2, &lock, waited));
  queues.end(0);
  for (unsigned worker : {1U, 2U, 3U}) {
    EXPECT_TRUE(queues.begin(worker, &lock, waited));
    queues.end(worker);
  }
}

TEST(LockQueues, HaveOneWorkerAtATime) {
  constexpr unsigned workers = 4;
  constexpr int rounds = 20'000;
  LockQueues queues(workers);
  const int lock = 0;
  std::atomic<unsigned> inside{0}, most{0}, taken{0};
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < workers; ++worker)
    threads.emplace_back([&, worker] {
      uint64_t waited = 0;
      for (int round = 0; round < rounds; ++round) {
        if (!queues.begin(worker, &lock, waited))
          continue;
        const unsigned now = ++inside;
        if (now > most)
          most = now;
        ++taken;
        --inside;
        queues.end(worker);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(most, 1U);
  EXPECT_GT(taken, 0U);
  uint64_t waited = 0; // the queue is empty again
  for (unsigned worker = 0; worker < workers; ++worker) {
    EXPECT_TRUE(queues.begin(worker, &lock, waited));
    queues.end(worker);
  }
}

// ---- launches

struct Shared {
  struct alignas(64) Lock {
    std::atomic<uint32_t> word{0}, next{0};
    uint64_t guarded = 0;
    uint32_t order = 0; // a number for each group that had the lock
  };
  std::array<Lock, 8> locks;
  std::atomic<uint32_t> stopped{0}, ended{0};
  std::atomic<uint32_t> *numbers = nullptr; // by group
  uint32_t used = 1;                        // locks
};

Shared &shared_of(const TestFrame &frame) {
  return *frame.argument<Shared *>();
}

// As the compiler's code does. True: the group stops.
bool stops(TestFrame &frame, Shared::Lock &lock) {
  if (frame.update.state != UpdateRequest::may_request)
    return false;
  frame.update.address = &lock;
  frame.step = Step::before_lock;
  ++shared_of(frame).stopped;
  return true;
}

Step take_spin_lock(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  Shared::Lock &lock = shared.locks[frame.number() % shared.used];
  if (frame.state++ == 0 && stops(frame, lock))
    return frame.step;
  if (lock.word.exchange(1, std::memory_order_acquire) != 0)
    return wait_until(frame, lock.word, 1, 0);
  ++lock.guarded;
  lock.word.store(0, std::memory_order_release);
  ++shared.ended;
  return frame.done();
}

Step take_ticket_lock(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  Shared::Lock &lock = shared.locks[0];
  if (frame.state == 0) {
    frame.state = 1;
    if (stops(frame, lock))
      return frame.step;
  }
  if (frame.state == 1) {
    frame.state = 2;
    frame.ticks = lock.next.fetch_add(1, std::memory_order_relaxed);
  }
  if (const uint32_t serving = lock.word.load(std::memory_order_acquire); serving != frame.ticks)
    return wait_until(frame, lock.word, serving, frame.ticks);
  shared.numbers[frame.number()] = lock.order++;
  ++lock.guarded;
  lock.word.store(frame.ticks + 1, std::memory_order_release);
  ++shared.ended;
  return frame.done();
}

// One lock after the other, the second while the first is held.
Step take_two_locks(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  for (;;) {
    Shared::Lock &lock = shared.locks[frame.state / 2];
    if (frame.state % 2 == 0) {
      ++frame.state;
      if (stops(frame, lock))
        return frame.step;
    }
    if (lock.word.exchange(1, std::memory_order_acquire) != 0)
      return wait_until(frame, lock.word, 1, 0);
    if (++frame.state == 4)
      break;
  }
  ++shared.locks[0].guarded;
  ++shared.locks[1].guarded;
  shared.locks[1].word.store(0, std::memory_order_release);
  shared.locks[0].word.store(0, std::memory_order_release);
  ++shared.ended;
  return frame.done();
}

class StopsBeforeLocks : public testing::Test {
protected:
  std::shared_ptr<CpuDevice> device = CpuDevice::root();
  CommandQueue queue{device, QueueOrder::out_of_order, false};
  std::shared_ptr<Buffer> memory = *Buffer::allocate(device->memory(), sizeof(Shared));
  Shared &shared = *new (memory->data()) Shared;

  template <runtime::TestBody body> void run(uint32_t groups) {
    shared.ended = 0;
    for (Shared::Lock &lock : shared.locks) {
      lock.word = lock.next = lock.order = 0;
      lock.guarded = 0;
    }
    auto program = CoroutineProgram::make<body>();
    program->set_stops_before_locks();
    compiler::KernelInfo info;
    info.name = "locks";
    info.argument_block_size = 8;
    auto kernel =
        std::make_shared<CpuKernel>(program, std::make_shared<const compiler::KernelInfo>(info), 1);
    Shared *argument = &shared;
    auto launch = KernelLaunch::make(
        *device, *kernel, {.global_size = {groups, 1, 1}, .local_size = {1}},
        {std::as_bytes(std::span(&argument, 1)), {}, {{.memory = {memory, 0, sizeof(Shared)}}}});
    ASSERT_TRUE(launch) << launch.error().message;
    CommandRef command = Command::create(std::move(*launch));
    queue.enqueue(*command);
    EXPECT_EQ(command->wait(), status::complete);
    EXPECT_EQ(shared.ended, groups);
  }
  uint64_t guarded() const {
    return std::accumulate(
        shared.locks.begin(), shared.locks.end(), uint64_t{0},
        [](uint64_t sum, const Shared::Lock &lock) { return sum + lock.guarded; });
  }
};

TEST_F(StopsBeforeLocks, OneOrSeveralSpinLocks) {
  for (uint32_t locks : {1U, 3U, 8U})
    for (uint32_t groups : {1U, 2U, 65U, 50'000U}) {
      shared.used = locks;
      run<take_spin_lock>(groups);
      EXPECT_EQ(guarded(), groups);
    }
  if (device->compute_units() > 1)
    EXPECT_GT(shared.stopped, 0U);
}

TEST_F(StopsBeforeLocks, ATicketLock) {
  for (uint32_t groups : {1U, 3U, 200U, 50'000U}) {
    std::vector<std::atomic<uint32_t>> numbers(groups);
    shared.numbers = numbers.data();
    run<take_ticket_lock>(groups);
    EXPECT_EQ(guarded(), groups);
    std::vector<uint32_t> sorted(numbers.begin(), numbers.end());
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t i = 0; i < groups; ++i)
      ASSERT_EQ(sorted[i], i);
  }
}

TEST_F(StopsBeforeLocks, TwoLocksInARow) {
  for (uint32_t groups : {2U, 20'000U}) {
    run<take_two_locks>(groups);
    EXPECT_EQ(shared.locks[0].guarded, groups);
    EXPECT_EQ(shared.locks[1].guarded, groups);
  }
}

} // namespace
} // namespace lockstep::runtime
