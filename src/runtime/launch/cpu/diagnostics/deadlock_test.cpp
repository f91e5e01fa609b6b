// Tests deadlock detection: deadlocked launches end with a report, and other waiting launches
// continue.
#include "runtime/external_commands/program_threads.h"
#include "runtime/graph/command_queue.h"
#include "runtime/graph/polled_device.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/resumable/test_coroutine.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "runtime/threads/file_waits.h"
#include "runtime/threads/host_threads.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <semaphore>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

using compiler::Step;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

const bool four_workers = [] { return setenv("LOCKSTEP_THREADS", "4", 0) == 0; }();
const std::string report_file = testing::TempDir() + "lockstep_deadlock_test.json";
const bool writes_file = [] {
  return setenv("LOCKSTEP_DEADLOCK_FILE", report_file.c_str(), 1) == 0;
}();

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
constexpr bool has_threads_of_sanitizer = true;
#else
constexpr bool has_threads_of_sanitizer = false;
#endif

struct Shared {
  std::atomic<uint32_t> flag = 0, counter = 0, lock = 0, other = 0;
  std::atomic<uint64_t> finished = 0;
};

Shared &shared_of(const TestFrame &frame) {
  return *frame.argument<Shared *>();
}

class CountsWarnings final : public CommandClient {
public:
  void retain() override {}
  void release() override {}
  void failed(const Error &) override { std::this_thread::sleep_for(time_of_failure.load()); }
  void warn(const std::string &text) override {
    if (text.find("stands still") != text.npos)
      ++warnings_of_standstill;
  }
  std::atomic<int> warnings_of_standstill = 0;
  std::atomic<std::chrono::milliseconds> time_of_failure = 0ms;
};

class Deadlocks : public testing::Test {
protected:
  std::shared_ptr<CpuDevice> device = CpuDevice::root();
  CountsWarnings client;
  CommandQueue queue{device, QueueOrder::in_order, false, &client};
  CommandQueue second{device, QueueOrder::in_order, false, &client};
  std::shared_ptr<Buffer> own = make_buffer();
  std::shared_ptr<Buffer> hosts = *Buffer::wrap(own->data(), sizeof(Shared));
  std::shared_ptr<Buffer> host_word = *Buffer::wrap(&word, sizeof word);
  Shared &shared = shared_in(*own);
  inline static std::atomic<uint32_t> word; // written by the host
  bool is_host_visible = false;
  AllocationKinds reach = 0;       // of the launches
  inline static Shared *elsewhere; // memory that is not among the launches' arguments

  // Sanitizers have threads of their own, which cannot be distinguished from the program's.
  Deadlocks() {
    word = 0;
    WaitingLaunches::instance().set_patience(300ms);
  }
  ~Deadlocks() override { // commands refer to the client until they are settled
    queue.finish();
    second.finish();
  }

  std::shared_ptr<Buffer> make_buffer() {
    std::shared_ptr<Buffer> buffer = *Buffer::allocate(device->memory(), sizeof(Shared));
    new (buffer->data()) Shared;
    buffer->count_handles(1); // like a buffer of a program
    return buffer;
  }
  static Shared &shared_in(Buffer &buffer) { return *reinterpret_cast<Shared *>(buffer.data()); }

  template <Step (*body)(TestFrame &)>
  CommandRef enqueue(CommandQueue &to, uint64_t items, uint64_t local = 1, WaitList list = {}) {
    return enqueue_on<body>(is_host_visible ? hosts : own, to, items, local, list);
  }
  template <Step (*body)(TestFrame &)>
  CommandRef enqueue_on(const std::shared_ptr<Buffer> &buffer, CommandQueue &to, uint64_t items,
                        uint64_t local = 1, WaitList list = {}) {
    compiler::KernelInfo info;
    info.name = "waits";
    info.argument_block_size = 16;
    info.local_memory_size = 4;
    info.args.resize(2);
    for (auto &arg : info.args)
      arg.kind = compiler::ArgKind::global_pointer;
    info.args[0].name = "shared";
    info.args[0].type_name = "atomic_int*";
    info.args[1].offset = 8;
    auto program = CoroutineProgram::make<body>();
    program->number_accesses();
    auto kernel = std::make_shared<CpuKernel>(
        std::move(program), std::make_shared<const compiler::KernelInfo>(info), 1);
    const std::byte block[16] = {};
    auto prepared =
        KernelLaunch::make(*device, *kernel, {.global_size = {items, 1, 1}, .local_size = {local}},
                           {block,
                            {},
                            {{.memory = {buffer, 0, sizeof(Shared)}, .argument = 0},
                             {.memory = {host_word, 0, sizeof word}, .argument = 1}},
                            reach});
    EXPECT_TRUE(prepared) << prepared.error().message;
    auto command = Command::create(std::move(*prepared));
    to.enqueue(*command, list);
    return command;
  }
  Allocations::Known allocate(AllocationKind kind) {
    const auto made = *Allocations::instance().allocate(
        {.kind = kind, .size = sizeof(Shared), .account = device->memory()});
    new (made->begin()) Shared;
    return made;
  }
  // Also waits for a second warning, which must not come. Threads without CPU time look like
  // launches that make no progress for long; the watch warns of them, too.
  void wait_for_standstill(int number = 1) {
    for (int tries = 0; tries < 4000 && client.warnings_of_standstill < number; ++tries)
      std::this_thread::sleep_for(5ms);
    std::this_thread::sleep_for(100ms);
  }
  static std::string error_of(Command &command) {
    return command.error() ? command.error()->message : std::string();
  }
};

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
Step wait_for_counter(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.counter == 0)
    return frame.wait_for(shared.counter, 0);
  return frame.done();
}

TEST_F(Deadlocks, EndFirstWhatOthersComeAfter) {
  CommandRef helped = enqueue<wait_for_flag>(second, 3);
  CommandRef dead = enqueue<wait_for_counter>(queue, 3);
  CommandRef helper = enqueue<set_flag>(queue, 1);
  EXPECT_EQ(helped->wait(), status::complete);
  EXPECT_EQ(dead->wait(), status::out_of_resources);
  EXPECT_EQ(helper->wait(), status::complete);
}

// Sub-group 1 returns; the others are at the barrier.
Step leave_before_barrier(TestFrame &frame) {
  if (frame.sub_group == 1 || frame.state == 1)
    return frame.done();
  frame.state = 1;
  return frame.at_barrier();
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

Step count_until_flag(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.flag == 0)
    return frame.wait_for(shared.flag, 0, 1, true);
  return frame.done();
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

// A group that depends on group 0 needs some time to find that the counter is still 0.
Step wait_for_the_first(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.number() == 0) {
    if (shared.flag == 0)
      return frame.wait_for(shared.flag, 0);
    shared.counter = 1;
  } else if (shared.counter == 0) {
    std::this_thread::sleep_for(20ms);
    if (shared.counter == 0)
      return frame.wait_for(shared.counter, 0);
  }
  return frame.done();
}

// A helper may begin and end while the launch is examined, after group 0 was resumed.
TEST_F(Deadlocks, AreNotSeenWhereAHelperCameAndWentMeanwhile) {
  for (int trial = 0; trial < 16; ++trial) {
    shared.flag = shared.counter = 0;
    CommandRef command = enqueue<wait_for_the_first>(queue, 2);
    std::this_thread::sleep_for(40ms + trial * 4ms);
    CommandRef helper = enqueue<set_flag>(second, 1);
    EXPECT_EQ(command->wait(), status::complete) << error_of(*command);
    EXPECT_EQ(helper->wait(), status::complete);
  }
}

Step wait_for_flag_then_leave_before_barrier(TestFrame &frame) {
  const Step step = wait_for_flag(frame);
  return shared_of(frame).flag == 0 ? step : leave_before_barrier(frame);
}

// The last thread that leaves a launch ends it, and it may be one that only reads its numbers, like
// the thread that warns. From then on the launch is not listed, and what comes after it not yet.
TEST_F(Deadlocks, AreNotSeenWhileAThreadEndsALaunchThatItVisited) {
  std::shared_ptr<Buffer> buffer = make_buffer();
  CommandRef helped = enqueue<wait_for_flag>(second, 3);
  CommandRef before = enqueue_on<wait_for_flag_then_leave_before_barrier>(buffer, queue, 10, 10);
  CommandRef helper = enqueue<set_flag>(queue, 1);
  client.time_of_failure = 300ms;
  static std::binary_semaphore is_inside{0}, never{0};
  std::thread([wanted = before.get(), &shared = shared_in(*buffer)] {
    const ServiceThread this_one;
    for (bool has_visited = false; !has_visited;)
      for (const auto &run : WaitingLaunches::instance().list())
        if (&run->command() == wanted) {
          const ResumableRun::Visit visit(*run);
          is_inside.release();
          shared.flag = 1;
          std::this_thread::sleep_for(100ms); // the workers are done with it
          has_visited = true;
        }
    never.acquire(); // threads of the runtime do not end
  }).detach();
  is_inside.acquire();
  EXPECT_EQ(helped->wait(), status::complete) << error_of(*helped);
  EXPECT_EQ(before->wait(), status::out_of_resources);
  EXPECT_EQ(helper->wait(), status::complete);
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

// A thread of the program sleeps until a thread of the runtime releases a lock, which does not sleep
// for the process: it is in a call of the system that takes long, or in a page fault.
TEST_F(Deadlocks, AreNotSeenWhileAThreadHasALockInASlowCall) {
  WaitingLaunches::instance().set_patience(10min);
  static std::mutex mutex;
  static std::binary_semaphore has_lock{0}, never{0};
  std::thread([] {
    const ServiceThread this_one;
    {
      const std::lock_guard lock(mutex);
      has_lock.release();
      (void)!std::system("sleep 0.4");
    }
    never.acquire(); // threads of the runtime do not end
  }).detach();
  has_lock.acquire();
  std::thread helper([&] {
    const std::lock_guard lock(mutex);
    enqueue<set_flag>(second, 1)->wait();
  });
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  EXPECT_EQ(waiting->wait(), status::complete) << error_of(*waiting);
  helper.join();
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

// ---- near misses

Step wait_for_one_of_two(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (frame.read(*frame.argument<std::atomic<uint32_t> *>(8), 1) == 0 &&
      frame.read(shared.flag, 2) == 0)
    return frame.wait_after_reads(frame.ticks++ == 0);
  return frame.done();
}

TEST_F(Deadlocks, AreNotWaitsForTwoPlacesOneOfWhichTheHostWrites) {
  CommandRef waiting = enqueue<wait_for_one_of_two>(queue, 10);
  std::thread host([&] {
    wait_for_standstill();
    word = 1;
  });
  EXPECT_EQ(waiting->wait(), status::complete);
  EXPECT_EQ(client.warnings_of_standstill, 1);
  host.join();
}

// Both launches have the same buffer, so one may help the other.
TEST_F(Deadlocks, AreNotWaitsForALaunchThatGoesOn) {
  auto help_late = [](TestFrame &frame) -> Step {
    Shared &shared = shared_of(frame);
    if (++frame.ticks < 300'000)
      return frame.wait_for(shared.other, 0, 1, true);
    shared.flag = 1;
    return frame.done();
  };
  WaitingLaunches::instance().set_patience(0ns);
  CommandRef helper = enqueue<+help_late>(second, 1);
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  EXPECT_EQ(waiting->wait(), status::complete);
  EXPECT_EQ(helper->wait(), status::complete);
}

// A chain through all groups: sub-group 0 of each continues the chain and arrives at a barrier,
// which sub-group 1 keeps closed until the chain has ended.
TEST_F(Deadlocks, AreNotChainsOfGroupsThatArriveAtBarriers) {
  // coprime, so that consecutive groups of the chain are far from each other
  constexpr uint32_t groups = 1009, step = 389;
  static std::array<std::atomic<uint32_t>, groups + 1> flags;
  for (auto &flag : flags)
    flag = 0;
  flags[0] = 1;
  auto kernel = [](TestFrame &frame) -> Step {
    const uint64_t place = frame.number() * step % groups;
    auto &awaited = flags[frame.sub_group ? groups : place];
    if (frame.state == 1)
      return frame.done();
    if (awaited == 0)
      return frame.wait_for(awaited, 0);
    frame.state = 1;
    if (frame.sub_group == 0)
      flags[place + 1] = 1;
    return frame.at_barrier();
  };
  EXPECT_EQ(enqueue<+kernel>(queue, 8 * groups, 8)->wait(), status::complete);
}

TEST_F(Deadlocks, AreNotSlowGroups) {
  WaitingLaunches::instance().set_patience(0ns);
  auto slow = [](TestFrame &frame) -> Step {
    if (frame.number() == 5) {
      std::this_thread::sleep_for(400ms);
      shared_of(frame).flag = 1;
      return frame.done();
    }
    return wait_for_flag(frame);
  };
  EXPECT_EQ(enqueue<+slow>(queue, 10)->wait(), status::complete);
  EXPECT_EQ(shared.finished, 9u);
}

TEST_F(Deadlocks, AreNotSlowOtherCommands) {
  WaitingLaunches::instance().set_patience(0ns);
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  CommandRef task = Command::create_task(TaskPlace::worker, [this] {
    std::this_thread::sleep_for(400ms);
    shared.flag = 1;
  });
  second.enqueue(*task);
  EXPECT_EQ(waiting->wait(), status::complete);
}

// Its thread waits for no other thread of the process.
struct SleepingFunction final : ProgramFunction {
  Result<void> run(uint64_t, uint64_t) override {
    std::this_thread::sleep_for(400ms);
    return {};
  }
};

TEST_F(Deadlocks, AreNotWaitsForWhatComesAfterAFunctionOfTheProgram) {
  WaitingLaunches::instance().set_patience(10min);
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  CommandRef function = Command::create<SleepingFunction>();
  second.enqueue(*function);
  CommandRef helper = enqueue<set_flag>(second, 1);
  EXPECT_EQ(waiting->wait(), status::complete) << error_of(*waiting);
  EXPECT_EQ(function->wait(), status::complete);
  EXPECT_EQ(helper->wait(), status::complete);
}

// Stands for a signal from another process.
TEST_F(Deadlocks, AreNotWaitsForWhatComesAfterASignalledFile) {
  WaitingLaunches::instance().set_patience(10min);
  ASSERT_TRUE(start_file_waits());
  const int file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  ASSERT_GE(file, 0);
  const itimerspec time{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 400'000'000}};
  ASSERT_EQ(timerfd_settime(file, 0, &time, nullptr), 0);
  CommandRef gate = Command::create_user_event();
  // The wait owns the file: its thread may still use the number when the commands are complete.
  std::shared_ptr<void> owner(nullptr, [file](void *) { close(file); });
  ASSERT_TRUE(when_readable(
      file, [gate, owner = std::move(owner)] { return gate->set_user_status(status::complete); }));
  Command *list[] = {gate.get()};
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  CommandRef helper = enqueue<set_flag>(second, 1, 1, list);
  EXPECT_EQ(waiting->wait(), status::complete) << error_of(*waiting);
  EXPECT_EQ(helper->wait(), status::complete);
}

// Another device, whose thread settles a command after some time.
class SlowDevice final : public PolledDevice {
public:
  static SlowDevice &instance() {
    static SlowDevice &device = *new SlowDevice;
    return device;
  }
  void settle_after(std::chrono::milliseconds time, Command &gate) {
    is_busy_ = true;
    std::thread([this, time, gate = CommandRef(&gate)] {
      const ServiceThread this_one;
      static std::binary_semaphore never{0};
      std::this_thread::sleep_for(time);
      gate->set_user_status(status::complete);
      is_busy_ = false;
      never.acquire(); // threads of the runtime do not end
    }).detach();
  }
  bool poll() override { return false; }
  void assist() override {}
  bool is_busy() override { return is_busy_; }

private:
  SlowDevice() { start_polling(); }
  std::atomic<bool> is_busy_ = false;
};

TEST_F(Deadlocks, AreNotWaitsForWhatComesAfterAnotherDevice) {
  WaitingLaunches::instance().set_patience(10min);
  CommandRef gate = Command::create_user_event();
  Command *list[] = {gate.get()};
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  CommandRef helper = enqueue<set_flag>(second, 1, 1, list);
  SlowDevice::instance().settle_after(400ms, *gate);
  EXPECT_EQ(waiting->wait(), status::complete) << error_of(*waiting);
  EXPECT_EQ(helper->wait(), status::complete);
}

TEST_F(Deadlocks, AreNotWaitsThatCount) {
  WaitingLaunches::instance().set_patience(0ns);
  auto count = [](TestFrame &frame) -> Step { // like a time-out
    if (++frame.ticks < 200'000)
      return frame.wait_for(shared_of(frame).flag, 0, 1, true);
    return frame.done();
  };
  EXPECT_EQ(enqueue<+count>(queue, 10)->wait(), status::complete);
}

TEST_F(Deadlocks, AreNotWaitsForACommandBehindAUserEvent) {
  CommandRef event = Command::create_user_event();
  Command *list[] = {event.get()};
  CommandRef setting = enqueue<set_flag>(second, 1, 1, list);
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  std::thread host([&] {
    wait_for_standstill();
    event->set_user_status(status::complete);
  });
  EXPECT_EQ(waiting->wait(), status::complete);
  EXPECT_GT(client.warnings_of_standstill, 0);
  host.join();
}

TEST_F(Deadlocks, AreNotWaitsForAHostThatIsBusy) {
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  wait_for_standstill(); // no thread waits for a command
  EXPECT_EQ(waiting->status(), status::running);
  EXPECT_EQ(client.warnings_of_standstill, 1);
  EXPECT_EQ(enqueue<set_flag>(second, 1)->wait(), status::complete);
  EXPECT_EQ(waiting->wait(), status::complete);
}

TEST_F(Deadlocks, AreNotWaitsForMemoryThatTheHostWrites) {
  is_host_visible = true;
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  std::thread host([&] {
    wait_for_standstill();
    shared.flag = 1;
  });
  EXPECT_EQ(waiting->wait(), status::complete);
  EXPECT_EQ(client.warnings_of_standstill, 1);
  host.join();
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

TEST_F(Deadlocks, AreNotWaitsForAllocationsThatTheHostMayWrite) {
  for (AllocationKind kind :
       {AllocationKind::fine_svm, AllocationKind::host, AllocationKind::shared}) {
    const Allocations::Known made = allocate(kind);
    const int warnings = client.warnings_of_standstill;
    CommandRef waiting = enqueue_on<wait_for_flag>(made->memory, queue, 10);
    std::thread host([&] {
      wait_for_standstill(warnings + 1);
      shared_in(*made->memory).flag = 1;
    });
    EXPECT_EQ(waiting->wait(), status::complete) << int(kind);
    EXPECT_EQ(client.warnings_of_standstill, warnings + 1) << int(kind);
    host.join();
    Allocations::instance().remove(made->begin());
  }
}

// The launch finds the address in other memory, so its accesses do not name the allocation.
TEST_F(Deadlocks, AreNotWaitsForAllocationsThatAnotherLaunchReaches) {
  const Allocations::Known made = allocate(AllocationKind::device);
  elsewhere = &shared_in(*made->memory);
  auto help_late = [](TestFrame &frame) -> Step {
    if (++frame.ticks < 300'000)
      return frame.wait_for(shared_of(frame).other, 0, 1, true);
    elsewhere->flag = 1;
    return frame.done();
  };
  reach = set_of(AllocationKind::device);
  CommandRef helper = enqueue<+help_late>(second, 1);
  reach = 0;
  CommandRef waiting = enqueue_on<wait_for_flag>(made->memory, queue, 10);
  EXPECT_EQ(waiting->wait(), status::complete);
  EXPECT_EQ(helper->wait(), status::complete);
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

// A thread whose command is settled does not count as waiting, even if it has not run since.
TEST_F(Deadlocks, AreNotWaitsForAHostThatIsAboutToGoOn) {
  WaitingLaunches::instance().set_patience(10min);
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  const auto end = std::chrono::steady_clock::now() + 500ms;
  while (std::chrono::steady_clock::now() < end) {
    CommandRef task = Command::create_task(
        TaskPlace::worker, [] { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
    second.enqueue(*task);
    task->wait();
  }
  EXPECT_EQ(waiting->status(), status::running);
  shared.flag = 1;
  EXPECT_EQ(waiting->wait(), status::complete);
}

TEST_F(Deadlocks, AreNotWaitsForACallback) {
  WaitingLaunches::instance().set_patience(10min);
  CommandRef first = enqueue<set_flag>(second, 1);
  CommandRef waiting = enqueue<wait_for_counter>(queue, 10);
  first->add_callback(status::complete, [&](Status) {
    std::this_thread::sleep_for(300ms);
    shared.counter = 1; // like a command that the callback enqueues
  });
  EXPECT_EQ(waiting->wait(), status::complete);
  WaitingLaunches::instance().set_patience(300ms);
}

TEST_F(Deadlocks, GoOnIfNoReportsAreWanted) {
  WaitingLaunches::instance().set_reports(false);
  WaitingLaunches::instance().set_patience(0ns);
  CommandRef waiting = enqueue<wait_for_flag>(queue, 10);
  EXPECT_FALSE(waiting->wait_for(300ms));
  shared.flag = 1;
  EXPECT_EQ(waiting->wait(), status::complete);
  WaitingLaunches::instance().set_reports(true);
}

} // namespace
} // namespace lockstep::runtime
