
#include "runtime/launch/cpu/kernel/cpu_device.h"

#include "runtime/external_commands/program_threads.h"
#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/pool/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// Memory that remains in a forked child belongs to its parent: the leak checker would look for the
// parent's threads in the child.
static bool is_forked_child = false;
extern "C" int __lsan_is_turned_off() { // the leak checker, if there is one, calls it at exit
  return is_forked_child;
}

namespace lockstep::runtime {
namespace {

const bool four_workers = [] { return setenv("LOCKSTEP_THREADS", "4", 1) == 0; }();

struct Everywhere : HostOperation {
  Everywhere(std::mutex &m, std::set<unsigned> &w) : mutex(m), workers(w) {}
  uint64_t parts() const override { return 40; }
  Result<void> run(uint64_t, uint64_t) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::lock_guard lock(mutex);
    workers.insert(Worker::current()->index());
    return {};
  }
  std::mutex &mutex;
  std::set<unsigned> &workers;
};

// On a busy machine a worker may wake up when all work is done, so this repeats.
std::set<unsigned> workers_that_ran(const std::shared_ptr<Device> &device) {
  std::mutex mutex;
  std::set<unsigned> workers;
  CommandQueue queue(device, QueueOrder::in_order, false);
  for (int attempt = 0; attempt != 100 && workers.size() < device->compute_units(); ++attempt) {
    queue.enqueue(*Command::create<Everywhere>(mutex, workers));
    queue.finish();
  }
  return workers;
}

TEST(Device, RootHasAllWorkersAndSensibleLimits) {
  auto root = CpuDevice::root();
  ASSERT_TRUE(root->start());
  EXPECT_EQ(root->compute_units(), 4u);
  EXPECT_EQ(root->parent(), nullptr);
  EXPECT_GE(root->limits().local_memory_bytes, 32u << 10);
  EXPECT_GE(root->limits().max_work_group_size, 1024u);
  EXPECT_GE(root->limits().kernel_stack_bytes, 64u << 20);
  EXPECT_GE(root->limits().max_allocation_bytes, root->limits().global_memory_bytes / 4);
  EXPECT_FALSE(root->description().name.empty());
  EXPECT_EQ(workers_that_ran(root).size(), 4u);
}

TEST(SubDevices, EquallyRunOnTheirOwnWorkers) {
  auto devices = CpuDevice::root()->partition_equally(1);
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 4u);
  std::set<unsigned> all;
  for (auto &device : *devices) {
    EXPECT_EQ(device->parent(), CpuDevice::root());
    auto workers = workers_that_ran(device);
    EXPECT_EQ(workers, std::set<unsigned>(static_cast<CpuDevice &>(*device).workers().begin(),
                                          static_cast<CpuDevice &>(*device).workers().end()));
    all.merge(workers);
  }
  EXPECT_EQ(all.size(), 4u);
}

TEST(SubDevices, ByCountsAndOfSubDevices) {
  const unsigned counts[] = {3, 1};
  auto devices = CpuDevice::root()->partition_by_counts(counts);
  ASSERT_TRUE(devices);
  EXPECT_EQ((*devices)[0]->compute_units(), 3u);
  EXPECT_EQ((*devices)[1]->compute_units(), 1u);
  auto parts = (*devices)[0]->partition_equally(2);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 1u); // the third worker is not used
  EXPECT_EQ((*parts)[0]->parent(), (*devices)[0]);
  EXPECT_EQ(workers_that_ran((*parts)[0]).size(), 2u);
}

TEST(SubDevices, RefuseWhatCannotBe) {
  auto root = CpuDevice::root();
  EXPECT_FALSE(root->partition_equally(0));
  EXPECT_FALSE(root->partition_equally(5));
  const unsigned zero[] = {1, 0}, many[] = {3, 2};
  EXPECT_FALSE(root->partition_by_counts(zero));
  EXPECT_FALSE(root->partition_by_counts(many));
  EXPECT_FALSE(root->partition_by_counts({}));
}

TEST(SubDevices, ByDomainCoverTheDevice) {
  auto root = CpuDevice::root();
  for (AffinityDomain domain : root->partition_domains()) {
    auto devices = root->partition_by_domain(domain);
    ASSERT_TRUE(devices);
    EXPECT_GE(devices->size(), 2u);
    unsigned sum = 0;
    for (auto &device : *devices)
      sum += device->compute_units();
    EXPECT_EQ(sum, root->compute_units());
  }
  EXPECT_EQ(bool(root->partition_by_domain(AffinityDomain::next_partitionable)),
            !root->partition_domains().empty());
}

TEST(SubDevices, ComeAndGoWhileWorkersWork) {
  for (int i = 0; i < 50; ++i) {
    auto devices = *CpuDevice::root()->partition_equally(2);
    CommandQueue a(devices[0], QueueOrder::in_order, false);
    CommandQueue b(devices[1], QueueOrder::out_of_order, false);
    std::atomic<int> ran = 0;
    std::vector<CommandRef> commands;
    for (int n = 0; n < 20; ++n) {
      commands.push_back(Command::create_task(TaskPlace::worker, [&] { ++ran; }));
      std::vector<Command *> list;
      if (n)
        list.push_back(commands[n - 1].get());
      (n % 2 ? a : b).enqueue(*commands[n], list); // alternates between the two sub-devices
    }
    commands.back()->wait();
    EXPECT_EQ(ran, 20);
  }
}

// More functions than workers: each waits until all have begun, and the last one waits for a
// command.
TEST(FunctionsOfTheProgram, HoldNoWorker) {
  static constexpr int many = 6;
  static std::atomic<int> begun;
  begun = 0;
  const auto device = CpuDevice::root();
  struct Function final : ProgramFunction {
    Result<void> run(uint64_t, uint64_t) override {
      EXPECT_EQ(Worker::current(), nullptr);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      for (++begun; begun < many && std::chrono::steady_clock::now() < end;)
        std::this_thread::yield();
      EXPECT_EQ(begun, many);
      CommandQueue queue(CpuDevice::root(), QueueOrder::in_order, false);
      queue.enqueue(*Command::create_task(TaskPlace::worker, [] {}));
      queue.finish();
      return {};
    }
  };
  CommandQueue queue(device, QueueOrder::out_of_order, true);
  std::vector<CommandRef> commands;
  for (int i = 0; i < many; ++i) {
    commands.push_back(Command::create<Function>());
    queue.enqueue(*commands.back());
  }
  queue.finish();
  for (const CommandRef &command : commands) {
    EXPECT_EQ(command->status(), status::complete);
    EXPECT_LT(command->times().started, command->times().ended);
  }
}

// ---- the end of the process

void exit_with_work_in_flight() {
  auto *queue = new CommandQueue(CpuDevice::root(), QueueOrder::in_order, false);
  for (int i = 0; i < 100; ++i)
    queue->enqueue(*Command::create_task(TaskPlace::worker, [] { usleep(1000); }));
  std::exit(7);
}

TEST(ProcessEnd, DoesNotWaitForCommandsInFlight) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_with_work_in_flight(), testing::ExitedWithCode(7), "");
}

TEST(ProcessEnd, OfAForkedChildDoesNotHang) {
  workers_that_ran(CpuDevice::root()); // threads exist in this process
  pid_t child = fork();
  if (child == 0) {
    is_forked_child = true;
    std::exit(5);
  }
  int result = 0;
  for (int i = 0; i < 6000; ++i) { // a minute
    if (waitpid(child, &result, WNOHANG) == child) {
      EXPECT_TRUE(WIFEXITED(result));
      EXPECT_EQ(WEXITSTATUS(result), 5);
      return;
    }
    usleep(10'000);
  }
  kill(child, SIGKILL);
  FAIL() << "the child hangs";
}

} // namespace
} // namespace lockstep::runtime
