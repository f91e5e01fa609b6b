// Tests that a ready command makes progress, whatever the worker does that made it ready, took it
// or ran parts of it.
//
// In each test, a worker ends a launch with a waiting group, or resumes such a group, at a moment
// when it may hold another command. Then that worker waits for this command. Workers 2 and 3 are
// always free.
#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/pool/worker_pool.h"
#include "runtime/launch/cpu/resumable/test_coroutine.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace lockstep::runtime {
namespace {

using compiler::Step;
using namespace std::chrono_literals;

const bool four_workers = [] { return setenv("LOCKSTEP_THREADS", "4", 0) == 0; }();

struct Shared {
  std::atomic<uint32_t> first = 0, second = 0;
};

std::atomic<bool> is_done;
std::atomic<int> stranded;
Command *awaited; // by a group

void wait_until_done() {
  const auto end = std::chrono::steady_clock::now() + 3s;
  while (!is_done)
    if (std::chrono::steady_clock::now() > end) {
      ++stranded;
      return;
    }
}

Shared &shared_of(const TestFrame &frame) {
  return *frame.argument<Shared *>();
}

// Ends when the first flag is set, and then sets the second one.
Step await_first(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.first == 0)
    return frame.wait_for(shared.first, 0);
  shared.second = 1;
  return frame.done();
}

// After the second flag is set, runs as long as a command is not done.
Step run_until_done(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.second == 0)
    return frame.wait_for(shared.second, 0);
  wait_until_done();
  return frame.done();
}

// The same for the command `awaited`.
Step run_until_settled(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.second == 0)
    return frame.wait_for(shared.second, 0);
  stranded += !awaited->wait_for(3s);
  return frame.done();
}

class StrandedCommands : public testing::Test {
protected:
  std::shared_ptr<CpuDevice> root = CpuDevice::root();
  std::shared_ptr<Buffer> memory = *Buffer::allocate(root->memory(), sizeof(Shared));
  Shared &shared = *new (memory->data()) Shared;
  CommandQueue free_workers{root, QueueOrder::out_of_order, false};

  void SetUp() override {
    if (root->compute_units() < 4)
      GTEST_SKIP() << "needs four workers";
    WaitingLaunches::instance().set_reports(false);
    is_done = false;
    stranded = 0;
  }
  void TearDown() override { WaitingLaunches::instance().set_reports(true); }

  // A device with the first workers.
  std::shared_ptr<Device> device_of(unsigned workers) {
    const unsigned counts[] = {workers};
    return root->partition_by_counts(counts)->front();
  }
  template <runtime::TestBody body> CommandRef launch(const std::shared_ptr<Device> &device) {
    compiler::KernelInfo info;
    info.name = "waits";
    info.argument_block_size = 8;
    auto kernel = std::make_shared<CpuKernel>(
        CoroutineProgram::make<body>(), std::make_shared<const compiler::KernelInfo>(info), 1);
    Shared *argument = &shared;
    auto prepared = KernelLaunch::make(
        static_cast<CpuDevice &>(*device), *kernel, {.global_size = {1, 1, 1}, .local_size = {1}},
        {std::as_bytes(std::span(&argument, 1)), {}, {{.memory = {memory, 0, sizeof(Shared)}}}});
    EXPECT_TRUE(prepared) << prepared.error().message;
    CommandRef command = Command::create(std::move(*prepared));
    CommandQueue(device, QueueOrder::in_order, false).enqueue(*command);
    return command;
  }
  CommandRef done_after(Command &command) {
    CommandRef done = Command::create_task(TaskPlace::worker, [] { is_done = true; });
    Command *const before[] = {&command};
    free_workers.enqueue(*done, before);
    return done;
  }
  // Lets workers rest; they do so for up to a millisecond each time.
  static void let_rest() { std::this_thread::sleep_for(5ms); }
};

TEST_F(StrandedCommands, OfTheWorkerThatTakesAnother) {
  const auto device = device_of(2);
  CommandQueue queue(device, QueueOrder::in_order, false);
  for (int round = 0; round < 5 && stranded == 0; ++round) {
    is_done = false;
    shared.first = 0;
    const CommandRef waits = launch<await_first>(device), done = done_after(*waits);
    let_rest();
    shared.first = 1;
    queue.enqueue(*Command::create_task(TaskPlace::worker, wait_until_done));
    queue.finish();
    done->wait();
  }
  EXPECT_EQ(stranded, 0);
}

TEST_F(StrandedCommands, OfTheWorkerThatServesTheNextLaunch) {
  const auto device = device_of(1);
  for (int round = 0; round < 5 && stranded == 0; ++round) {
    is_done = false;
    shared.first = shared.second = 0;
    const CommandRef waits = launch<await_first>(device), done = done_after(*waits);
    const CommandRef other = launch<run_until_done>(device);
    let_rest();
    shared.first = 1;
    other->wait();
    done->wait();
  }
  EXPECT_EQ(stranded, 0);
}

// Two of its four parts set the flag, and two wait.
struct SetsThenWaits : HostOperation {
  explicit SetsThenWaits(Shared &memory) : shared(memory) {}
  uint64_t parts() const override { return 4; }
  Result<void> run(uint64_t first, uint64_t last) override {
    for (uint64_t part = first; part < last; ++part) {
      std::this_thread::sleep_for(1ms);
      if (part < 2)
        shared.first = 1;
      else
        wait_until_done();
    }
    return {};
  }
  Shared &shared;
};

TEST_F(StrandedCommands, OfTheWorkerThatHasMorePartsToRun) {
  const auto device = device_of(2);
  CommandQueue queue(device, QueueOrder::in_order, false);
  for (int round = 0; round < 3 && stranded == 0; ++round) {
    is_done = false;
    shared.first = 0;
    const CommandRef waits = launch<await_first>(device), done = done_after(*waits);
    let_rest();
    queue.enqueue(*Command::create<SetsThenWaits>(shared));
    queue.finish();
    done->wait();
  }
  EXPECT_EQ(stranded, 0);
}

TEST_F(StrandedCommands, TakenByTheWorkerThatResumesAGroup) {
  const auto device = device_of(2);
  CommandQueue queue(device, QueueOrder::in_order, false);
  for (int round = 0; round < 5 && stranded == 0; ++round) {
    shared.second = 0;
    const CommandRef command = Command::create_task(TaskPlace::worker, [] {});
    awaited = command.get();
    const CommandRef waits = launch<run_until_settled>(device);
    let_rest();
    shared.second = 1;
    queue.enqueue(*command);
    waits->wait();
  }
  EXPECT_EQ(stranded, 0);
}

struct SetsFlag : HostOperation {
  explicit SetsFlag(Shared &memory) : shared(memory) {}
  uint64_t parts() const override { return 8; }
  Result<void> run(uint64_t first, uint64_t last) override {
    for (uint64_t part = first; part < last; ++part) {
      std::this_thread::sleep_for(500us);
      shared.second = 1;
    }
    return {};
  }
  Shared &shared;
};

TEST_F(StrandedCommands, OfWhichTheWorkerThatResumesAGroupHasRunParts) {
  const auto device = device_of(2);
  CommandQueue queue(device, QueueOrder::in_order, false);
  for (int round = 0; round < 3 && stranded == 0; ++round) {
    shared.second = 0;
    const CommandRef command = Command::create<SetsFlag>(shared);
    awaited = command.get();
    const CommandRef waits = launch<run_until_settled>(device);
    let_rest();
    queue.enqueue(*command);
    waits->wait();
  }
  EXPECT_EQ(stranded, 0);
}

// Threads inspect launches while these end.
TEST_F(StrandedCommands, VisitedWhileTheyEnd) {
  std::atomic<bool> is_over = false;
  std::jthread looks([&] {
    while (!is_over)
      for (const auto &run : WaitingLaunches::instance().list()) {
        const ResumableRun::Visit visit(*run);
        EXPECT_LE(visit.running_groups().size(), 1u);
        EXPECT_LE(visit.waiting_groups(), 1u);
        EXPECT_LE(visit.unstarted_groups(), 1u);
      }
  });
  std::shared_ptr<ResumableRun> last;
  for (int round = 0; round < 200; ++round) {
    shared.first = 0;
    const CommandRef waits = launch<await_first>(root);
    while (WaitingLaunches::instance().list().empty())
      std::this_thread::yield();
    if (auto runs = WaitingLaunches::instance().list(); !runs.empty())
      last = runs.front();
    shared.first = 1;
    waits->wait();
  }
  is_over = true;
  ASSERT_TRUE(last);
  const ResumableRun::Visit visit(*last);
  EXPECT_FALSE(visit);
  EXPECT_EQ(visit.waiting_groups(), 0u);
}

} // namespace
} // namespace lockstep::runtime
