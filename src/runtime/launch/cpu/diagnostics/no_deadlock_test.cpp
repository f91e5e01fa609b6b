// Tests what is not a deadlock: groups that wait for something that still comes, from other launches,
// commands, devices, threads or the host.
#include "runtime/external_commands/program_threads.h"
#include "runtime/graph/polled_device.h"
#include "runtime/launch/cpu/diagnostics/test_deadlocks.h"
#include "runtime/threads/file_waits.h"
#include "runtime/threads/host_threads.h"

#include <array>
#include <mutex>
#include <semaphore>
#include <sys/timerfd.h>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

using namespace std::chrono_literals;

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
