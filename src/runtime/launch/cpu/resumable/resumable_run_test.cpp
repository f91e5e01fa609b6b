#include "runtime/launch/cpu/resumable/resumable_run.h"

#include "runtime/events/events.h"
#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/kernel/test_program.h"
#include "runtime/launch/cpu/resumable/test_coroutine.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::Step;
using testing::HasSubstr;
using namespace std::chrono_literals;

// Set before the pool is made. CMakeLists.txt runs these tests with one worker, too.
const bool four_workers = [] { return setenv("LOCKSTEP_THREADS", "4", 0) == 0; }();

// How many groups wait for each other. Sanitizers make each step about ten times slower.
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr uint32_t long_chain = 20'000, random_chain = 30'000;
#else
constexpr uint32_t long_chain = 200'000, random_chain = 60'000;
#endif

// Memory that the kernels share; its address is their argument.
struct Shared {
  std::atomic<uint32_t> flag = 0, counter = 0, lock = 0, other = 0;
  uint64_t guarded = 0; // guarded by lock
  std::atomic<uint64_t> finished = 0, wrong = 0;
  uint64_t groups = 0;
  Device *device = nullptr;
};

Shared &shared_of(const TestFrame &frame) {
  return *frame.argument<Shared *>();
}

class ResumableRuns : public testing::Test {
protected:
  std::shared_ptr<CpuDevice> device = CpuDevice::root();
  CommandQueue queue{device, QueueOrder::out_of_order, false};
  // Not host memory, which the host may write at any time.
  std::shared_ptr<Buffer> memory = *Buffer::allocate(device->memory(), sizeof(Shared));
  Shared &shared = *new (memory->data()) Shared;

  ResumableRuns() { WaitingLaunches::instance().set_patience(10min); }
  ~ResumableRuns() override { WaitingLaunches::instance().set_patience(10s); }

  CommandRef make(std::shared_ptr<compiler::ProgramCode> program, uint64_t items,
                  uint64_t local = 1, uint64_t local_memory = 0) {
    compiler::KernelInfo info;
    info.name = "waits";
    info.argument_block_size = 8;
    info.local_memory_size = local_memory;
    auto kernel = std::make_shared<CpuKernel>(
        std::move(program), std::make_shared<const compiler::KernelInfo>(info), 1);
    Shared *argument = &shared;
    auto prepared = KernelLaunch::make(
        *device, *kernel, {.global_size = {items, 1, 1}, .local_size = {local}},
        {std::as_bytes(std::span(&argument, 1)), {}, {{.memory = {memory, 0, sizeof(Shared)}}}});
    EXPECT_TRUE(prepared) << prepared.error().message;
    return Command::create(std::move(*prepared));
  }
  CommandRef enqueue(std::shared_ptr<compiler::ProgramCode> program, uint64_t items,
                     uint64_t local = 1, uint64_t local_memory = 0) {
    shared.groups = (items + local - 1) / local;
    CommandRef command = make(std::move(program), items, local, local_memory);
    queue.enqueue(*command);
    return command;
  }
  std::string error_of(Command &command) {
    return command.error() ? command.error()->message : std::string();
  }
};

// The runtime assumes that only the device writes the memory in which the tests' kernels wait. If
// the host writes it, deadlock detection must not run between the write and the host's own wait.
struct NoVerdicts {
  NoVerdicts() { WaitingLaunches::instance().set_reports(false); }
  ~NoVerdicts() { WaitingLaunches::instance().set_reports(true); }
};

struct GroupCounter final : Listener {
  void groups_begun(const Launch &, const Size &id, const Size &) override { begun[id[0]] += 1; }
  void groups_ended(const Launch &, const Size &id, const Size &) override {
    ended[id[0]] += begun[id[0]]; // it began before
  }
  std::array<std::atomic<int>, 100> begun{}, ended{};
};

// ---- kernels

Step meet_all_groups(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.state == 0) {
    frame.state = 1;
    ++shared.counter;
  }
  const uint32_t seen = shared.counter;
  if (seen < shared.groups)
    return frame.wait_for(shared.counter, seen);
  ++shared.finished;
  return frame.done();
}

Step take_lock(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (uint32_t seen = shared.lock.exchange(1))
    return frame.wait_for(shared.lock, seen);
  ++shared.guarded;
  shared.lock = 0;
  ++shared.finished;
  return frame.done();
}

// Holds the lock while it waits for its own value of the counter, so that others find the lock
// taken.
Step wait_with_lock(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.state == 0) {
    if (uint32_t seen = shared.lock.exchange(1))
      return frame.wait_for(shared.lock, seen);
    frame.state = 1;
    return frame.wait_for(shared.other, 0, 1, true);
  }
  ++shared.guarded;
  shared.lock = 0;
  ++shared.finished;
  return frame.done();
}

// Each group waits for the following one.
Step wait_for_next_group(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  const uint32_t seen = shared.counter;
  if (seen + frame.number() + 1 < shared.groups)
    return frame.wait_for(shared.counter, seen);
  shared.counter = seen + 1;
  ++shared.finished;
  return frame.done();
}

Step wait_for_flag(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.flag == 0)
    return frame.wait_for(shared.flag, 0);
  ++shared.finished;
  return frame.done();
}

Step set_flag(TestFrame &frame) {
  shared_of(frame).flag = 1;
  return frame.done();
}

// ---- progress

TEST_F(ResumableRuns, TellOfEachGroupOnce) {
  // Never destroyed: a worker that releases a command after its end may still report to it.
  static std::deque<GroupCounter> all;
  GroupCounter &counter = all.emplace_back();
  add_listener(counter);
  EXPECT_EQ(enqueue(CoroutineProgram::make<meet_all_groups>(), 100)->wait(), status::complete);
  remove_listener(counter);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(counter.begun[i], 1);
    EXPECT_EQ(counter.ended[i], 1);
  }
}

TEST_F(ResumableRuns, MeetAtABarrierOfAllGroups) {
  for (uint64_t groups : {1, 2, 3, 64, 1000, 20'000}) {
    shared.counter = 0;
    shared.finished = 0;
    EXPECT_EQ(enqueue(CoroutineProgram::make<meet_all_groups>(), groups)->wait(), status::complete);
    EXPECT_EQ(shared.finished, groups);
  }
}

TEST_F(ResumableRuns, TakeALockInTurns) {
  EXPECT_EQ(enqueue(CoroutineProgram::make<take_lock>(), 20'000)->wait(), status::complete);
  EXPECT_EQ(shared.guarded, 20'000u);
  EXPECT_EQ(enqueue(CoroutineProgram::make<wait_with_lock>(), 4'096)->wait(), status::complete);
  EXPECT_EQ(shared.guarded, 24'096u);
}

// Each group checks under the lock whether all have arrived, so the queue for the lock must not
// prevent other starts.
Step count_under_lock(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (uint32_t seen = shared.lock.exchange(1))
    return frame.wait_for(shared.lock, seen);
  if (frame.state == 0) {
    frame.state = 1;
    ++shared.guarded;
  }
  const bool are_all_there = shared.guarded == shared.groups;
  shared.lock = 0;
  if (!are_all_there)
    return frame.wait_for(shared.lock, 0, 1, true);
  ++shared.finished;
  return frame.done();
}

TEST_F(ResumableRuns, StartOthersWhileAllTheyHaveQueueForALock) {
  for (uint64_t groups : {10, 300, 5'000}) {
    shared.guarded = 0;
    shared.finished = 0;
    EXPECT_EQ(enqueue(CoroutineProgram::make<count_under_lock>(), groups)->wait(),
              status::complete);
    EXPECT_EQ(shared.finished, groups);
  }
}

TEST_F(ResumableRuns, WaitForGroupsThatAreStartedLater) {
  EXPECT_EQ(enqueue(CoroutineProgram::make<wait_for_next_group>(), 2'000)->wait(),
            status::complete);
  EXPECT_EQ(shared.finished, 2'000u);
}

// Sub-group 0 waits for the others' local memory, which they write after a barrier; a second
// barrier follows.
Step use_local_memory(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  auto &local = *static_cast<std::atomic<uint32_t> *>(frame.group->local_memory);
  const uint64_t items = frame.group->local_size[0];
  const uint32_t sub_groups = uint32_t((items + 3) / 4);
  switch (frame.state) {
  case 0:
    if (frame.sub_group == 0)
      local = 0;
    frame.state = 1;
    return frame.at_barrier(2);
  case 1:
    frame.state = 2;
    if (frame.sub_group > 0) {
      ++local;
      frame.state = 3;
      return frame.at_barrier(3);
    }
    [[fallthrough]];
  case 2:
    if (const uint32_t seen = local; seen + 1 < sub_groups)
      return frame.wait_for(local, seen);
    frame.state = 3;
    local = 1000;
    return frame.at_barrier(3);
  default:
    shared.wrong += local != 1000;
    ++shared.finished;
    return frame.done();
  }
}

// All groups wait for the following one, and the last one begins: resolved in one sweep.
TEST_F(ResumableRuns, UndoLongChains) {
  const NoVerdicts no_verdicts;
  static std::vector<std::atomic<uint32_t>> flags(long_chain + 1);
  auto wait_for_next = [](TestFrame &frame) -> Step {
    const uint64_t group = frame.number();
    if (flags[group + 1] == 0)
      return frame.wait_for(flags[group + 1], 0);
    flags[group] = 1;
    return frame.done();
  };
  flags.back() = 0;
  CommandRef command = enqueue(CoroutineProgram::make<+wait_for_next>(), flags.size() - 1);
  EXPECT_FALSE(command->wait_for(300ms));
  const auto begin = std::chrono::steady_clock::now();
  flags.back() = 1;
  EXPECT_EQ(command->wait(), status::complete);
  // would be an hour if each group took a pass
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

// Works in random order, too, since each group reports what it wrote.
TEST_F(ResumableRuns, UndoChainsInRandomOrder) {
  const NoVerdicts no_verdicts;
  constexpr uint32_t groups = random_chain;
  static std::vector<std::atomic<uint32_t>> flags(groups);
  static std::vector<uint32_t> next(groups), place(groups);
  static std::atomic<uint32_t> length;
  std::vector<uint32_t> order(groups);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  for (uint32_t i = 0; i < groups; ++i) {
    flags[i] = 0;
    place[order[i]] = i;
    next[order[i]] = order[(i + 1) % groups];
  }
  length = 0;
  auto wait_for_next = [](TestFrame &frame) -> Step {
    const uint64_t group = frame.number();
    if (place[group] + 1 != groups && flags[next[group]] == 0)
      return frame.wait_for(flags[next[group]], 0);
    shared_of(frame).wrong += length++ != groups - 1 - place[group];
    flags[group] = 1;
    frame.wrote = &flags[group];
    return frame.done();
  };
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(enqueue(CoroutineProgram::make<+wait_for_next>(), groups)->wait(), status::complete);
  EXPECT_EQ(shared.wrong, 0U);
  EXPECT_EQ(length, groups);
  // would be half a minute if a pass found two groups
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 15s);
}

// A ticket lock goes around among all groups. Each group sees its ticket in the lock's value. Of
// all groups that watch the lock, only the one with the current ticket is resumed, even from
// another worker's list.
TEST_F(ResumableRuns, HandATicketLockToTheOneWhoseTicketItIs) {
  const NoVerdicts no_verdicts;
  constexpr uint32_t groups = 600;
  static std::vector<uint32_t> place(groups);
  static std::atomic<uint64_t> calls, turns;
  std::iota(place.begin(), place.end(), 0U);
  std::shuffle(place.begin(), place.end(), std::mt19937(7));
  calls = turns = 0;
  auto take_turns = [](TestFrame &frame) -> Step {
    Shared &shared = shared_of(frame);
    ++calls;
    if (frame.state == 0) {
      frame.ticks = shared.counter++; // takes a ticket
      frame.state = 1;
    }
    if (const uint32_t serving = shared.lock; serving != frame.ticks)
      return wait_until(frame, shared.lock, serving, frame.ticks);
    ++turns;
    const bool has_come = shared.guarded == place[frame.number()];
    shared.guarded += has_come;
    shared.lock = frame.ticks + 1;
    frame.wrote = &shared.lock;
    if (has_come)
      return frame.done();
    frame.state = 0;
    return frame.wait_for(shared.other, 0, 1, true);
  };
  EXPECT_EQ(enqueue(CoroutineProgram::make<+take_turns>(), groups)->wait(), status::complete);
  EXPECT_EQ(shared.guarded, groups);
  EXPECT_EQ(shared.lock, turns);
  EXPECT_LT(calls, 50 * turns) << "hundreds if all who watch are polled";
}

// So many groups wait that the launch tries fewer workers. Groups of the other workers go on.
TEST_F(ResumableRuns, GoOnWhileFewerWorkersAreAdmitted) {
  const NoVerdicts no_verdicts;
  constexpr uint32_t groups = 64, rounds = 10'000;
  auto meet = [](TestFrame &frame) -> Step {
    Shared &shared = shared_of(frame);
    for (;;) {
      if (frame.state % 2 == 0) {
        ++frame.state;
        if (++shared.counter == shared.groups) { // the last one opens the barrier
          shared.counter = 0;
          shared.lock = shared.lock + 1;
        }
      }
      if (const uint32_t opened = shared.lock; opened < frame.state / 2 + 1)
        return wait_until(frame, shared.lock, opened, frame.state / 2 + 1);
      if (++frame.state == 2 * rounds) {
        ++shared.finished;
        return frame.done();
      }
    }
  };
  EXPECT_EQ(enqueue(CoroutineProgram::make<+meet>(), groups)->wait(), status::complete);
  EXPECT_EQ(shared.finished, groups);
  EXPECT_EQ(shared.lock, rounds);
}

// The same for groups of several sub-groups, each with a ticket. There are too few groups for an
// index, unless sub-groups count.
TEST_F(ResumableRuns, HandATicketLockToTheSubGroupWhoseTicketItIs) {
  const NoVerdicts no_verdicts;
  constexpr uint32_t groups = 60, sub_groups = 16, times = 40;
  static std::atomic<uint64_t> calls;
  calls = 0;
  auto take_turns = [](TestFrame &frame) -> Step {
    Shared &shared = shared_of(frame);
    ++calls;
    for (;;) {
      if (frame.state % 2 == 0) {
        frame.ticks = shared.counter++;
        ++frame.state;
      }
      if (const uint32_t serving = shared.lock; serving != frame.ticks)
        return wait_until(frame, shared.lock, serving, frame.ticks);
      ++shared.guarded;
      shared.lock = frame.ticks + 1;
      frame.wrote = &shared.lock;
      if (++frame.state == 2 * times)
        return frame.done();
    }
  };
  EXPECT_EQ(enqueue(CoroutineProgram::make<+take_turns>(), groups * sub_groups * 4, sub_groups * 4)
                ->wait(),
            status::complete);
  EXPECT_EQ(shared.guarded, groups * sub_groups * times);
  EXPECT_EQ(shared.lock, shared.guarded);
  EXPECT_LT(calls, 50 * shared.guarded);
}

// The leader is polled about once for each iteration of the groups that wait by a broadcast. If one
// worker polls both, it is polled more often, since an iteration that read one address is not
// repeated until that changes.
TEST_F(ResumableRuns, DoNotLetBroadcastsStarveOthers) {
  static std::atomic<uint64_t> rounds, polls;
  rounds = polls = 0;
  auto kernel = [](TestFrame &frame) -> Step {
    Shared &shared = shared_of(frame);
    if (frame.number() == 0) {
      ++polls;
      if (++frame.ticks < 5000)
        return frame.wait_for(shared.other, 0, 1, true);
      shared.flag = 1;
      return frame.done();
    }
    if (frame.state == 0) {
      frame.state = 1;
      return frame.at_barrier();
    }
    frame.state = 0;
    ++rounds;
    if (shared.flag == 0)
      return frame.wait_for(shared.flag, 0, 1, frame.ticks++ == 0);
    return frame.done();
  };
  EXPECT_EQ(enqueue(CoroutineProgram::make<+kernel>(), 8 * 8, 8)->wait(), status::complete);
  const uint64_t sub_groups = 7 * 2;
  EXPECT_LT(rounds / sub_groups, 20 * polls);
  if (std::string_view(getenv("LOCKSTEP_THREADS")) == "1")
    EXPECT_LT(rounds / sub_groups, polls / 8);
}

TEST_F(ResumableRuns, OpenBarriersOfAGroupWhenAllCame) {
  for (uint64_t local : {1, 4, 7, 64}) {
    const uint64_t items = 1000 * local + local / 2; // an edge group if local > 1
    shared.finished = 0;
    EXPECT_EQ(enqueue(CoroutineProgram::make<use_local_memory>(), items, local, 40)->wait(),
              status::complete);
    EXPECT_EQ(shared.finished, 1000 * ((local + 3) / 4) + (local / 2 + 3) / 4);
    EXPECT_EQ(shared.wrong, 0u);
  }
}

// Barriers: a sub-group is resumed only after all have arrived, and sub-group 0 first.
Step check_order(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  const uint32_t sub_groups = uint32_t(frame.group->local_size[0] / 4);
  auto &arrived = *static_cast<std::atomic<uint32_t> *>(frame.group->local_memory);
  if (frame.state == 0 && frame.sub_group == 0)
    arrived = 0;
  shared.wrong += arrived != frame.state * sub_groups + frame.sub_group;
  ++arrived;
  return ++frame.state == 20 ? frame.done() : frame.at_barrier();
}

TEST_F(ResumableRuns, ResumeSubGroupsInOrderBehindABarrier) {
  EXPECT_EQ(enqueue(CoroutineProgram::make<check_order>(), 3200, 32, 4)->wait(), status::complete);
  EXPECT_EQ(shared.wrong, 0u);
}

// ---- several commands

TEST_F(ResumableRuns, LetOtherCommandsRun) {
  const NoVerdicts no_verdicts;
  CommandRef waiting = enqueue(CoroutineProgram::make<wait_for_flag>(), 100);
  const auto limit = std::chrono::steady_clock::now() + 30s;
  while (waiting->status() != status::running && std::chrono::steady_clock::now() < limit)
    std::this_thread::yield();   // a worker begins it as soon as a busy machine lets one run
  for (int i = 0; i < 20; ++i) { // kernels of the loop form, on the same workers
    auto kernel = std::make_shared<TestProgram>(
        [](const compiler::LaunchInfo *, const compiler::GroupInfo *) {});
    EXPECT_EQ(make(kernel, 100)->status(), status::queued);
    CommandRef other = make(kernel, 100);
    queue.enqueue(*other);
    EXPECT_EQ(other->wait(), status::complete);
  }
  EXPECT_EQ(waiting->status(), status::running);
  shared.flag = 1; // the host writes memory that it shares with the kernel
  EXPECT_EQ(waiting->wait(), status::complete);
  EXPECT_EQ(shared.finished, 100u);
}

TEST_F(ResumableRuns, AreServedWhileOtherCommandsKeepComing) {
  const NoVerdicts no_verdicts;
  CommandRef waiting = enqueue(CoroutineProgram::make<wait_for_flag>(), 10);
  std::atomic<bool> stop = false;
  std::atomic<unsigned> came = 0;
  std::thread others([&] {
    while (!stop) {
      CommandRef command = Command::create_task(TaskPlace::worker, [] {});
      queue.enqueue(*command);
      command->wait();
      ++came;
    }
  });
  // commands keep coming while the launch waits
  while (came < 100 || waiting->status() != status::running)
    std::this_thread::yield();
  shared.flag = 1;
  EXPECT_TRUE(waiting->wait_for(30s));
  stop = true;
  others.join();
}

// A worker with long work leaves the launches to the others, which may all sleep.
TEST_F(ResumableRuns, AreServedWhileWorkersAreBusy) {
  const NoVerdicts no_verdicts;
  if (device->compute_units() < 2)
    GTEST_SKIP() << "with one worker there is nobody else";
  for (unsigned busy = 1; busy < device->compute_units(); ++busy) {
    shared.flag = 0;
    CommandRef waiting = enqueue(CoroutineProgram::make<wait_for_flag>(), 1);
    std::this_thread::sleep_for(20ms);
    std::atomic<unsigned> started = 0;
    std::atomic<bool> stop = false;
    std::vector<CommandRef> tasks;
    for (unsigned i = 0; i < busy; ++i) {
      tasks.push_back(Command::create_task(TaskPlace::worker, [&] {
        ++started;
        while (!stop)
          std::this_thread::sleep_for(1ms);
      }));
      queue.enqueue(*tasks.back());
    }
    while (started < busy)
      std::this_thread::sleep_for(1ms);
    shared.flag = 1;
    EXPECT_TRUE(waiting->wait_for(10s)) << busy << " busy workers";
    stop = true;
    for (const CommandRef &task : tasks)
      task->wait();
    waiting->wait();
  }
}

TEST_F(ResumableRuns, WaitForACommandThatIsEnqueuedLater) {
  CommandRef waiting = enqueue(CoroutineProgram::make<wait_for_flag>(), 10);
  // long enough for deadlock detection, if this thread were blocked
  std::this_thread::sleep_for(150ms);
  enqueue(CoroutineProgram::make<set_flag>(), 1);
  EXPECT_EQ(waiting->wait(), status::complete);
}

// Two launches that count alternately.
template <uint32_t own> Step count_in_turns(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  while (frame.ticks < 500) {
    const uint32_t seen = shared.counter;
    if (seen % 2 != own)
      return frame.wait_for(shared.counter, seen);
    ++frame.ticks;
    shared.counter = seen + 1;
  }
  ++shared.finished;
  return frame.done();
}

TEST_F(ResumableRuns, OfTwoLaunchesWaitForEachOther) {
  CommandRef ping = enqueue(CoroutineProgram::make<count_in_turns<0>>(), 1);
  CommandQueue second(device, QueueOrder::in_order, false);
  CommandRef pong = make(CoroutineProgram::make<count_in_turns<1>>(), 1);
  second.enqueue(*pong);
  EXPECT_EQ(ping->wait(), status::complete);
  EXPECT_EQ(pong->wait(), status::complete);
  EXPECT_EQ(shared.counter, 1000u);
}

TEST_F(ResumableRuns, RunOnSubDevices) {
  auto halves = device->partition_equally(1);
  ASSERT_TRUE(halves);
  CommandQueue own((*halves)[0], QueueOrder::in_order, false);
  CommandRef waiting = make(CoroutineProgram::make<wait_for_flag>(), 10);
  own.enqueue(*waiting);
  CommandQueue last(halves->back(), QueueOrder::in_order, false);
  CommandRef setting = make(CoroutineProgram::make<set_flag>(), 1);
  last.enqueue(*setting);
  EXPECT_EQ(waiting->wait(), status::complete);
}

// ---- faults and limits

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
Step fault_or_wait(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.number() == 50)
    *reinterpret_cast<volatile int *>(uintptr_t{16}) = 1;
  return frame.wait_for(shared.flag, 0);
}

TEST_F(ResumableRuns, EndWithAFault) {
  CommandRef command = enqueue(CoroutineProgram::make<fault_or_wait>(), 100);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(
      error_of(*command),
      HasSubstr("kernel 'waits' crashed: invalid access to address 0x10 in work-group (50"));
}
#endif

TEST_F(ResumableRuns, RefuseMoreWaitingGroupsThanMemory) {
  WaitingMemory &memory = WaitingMemory::instance();
  const uint64_t before = memory.limit();
  memory.set_limit(4 * WaitingMemory::slab_bytes);
  auto large = CoroutineProgram::make<meet_all_groups>();
  large->set_frame_size(4096);
  CommandRef command = enqueue(large, 1000);
  EXPECT_EQ(command->wait(), status::out_of_resources);
  EXPECT_THAT(error_of(*command), HasSubstr("LOCKSTEP_WAITING_MEMORY"));
  EXPECT_EQ(memory.used(), 0u);
  // The same number of groups works if they need not all exist at once.
  auto lock = CoroutineProgram::make<wait_with_lock>();
  lock->set_frame_size(4096);
  EXPECT_EQ(enqueue(lock, 10'000)->wait(), status::complete);
  EXPECT_EQ(shared.guarded, 10'000u);
  memory.set_limit(before);
}

} // namespace
} // namespace lockstep::runtime
