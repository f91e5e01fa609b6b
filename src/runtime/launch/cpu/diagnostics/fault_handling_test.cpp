#include "runtime/launch/cpu/diagnostics/fault_handling.h"

#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/kernel/test_program.h"
#include "runtime/launch/cpu/pool/worker_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

namespace lockstep::runtime {
namespace {

using compiler::GroupInfo;
using compiler::LaunchInfo;
using testing::HasSubstr;

// Faults are made by inline assembly, so neither the optimizer nor a sanitizer sees them.
void write_to(uintptr_t address) {
#if defined(__x86_64__)
  asm volatile("movl $1, (%0)" ::"r"(address) : "memory");
#else
  asm volatile("str wzr, [%0]" ::"r"(address) : "memory");
#endif
}
[[gnu::noinline]] void recurse(volatile char *above) {
  volatile char frame[4096];
  frame[0] = above[0];
  if (above) // always true; the recursion ends at the guard below the stack
    recurse(frame);
  above[1] = frame[1]; // prevents a tail call
}

void write_to_null(const LaunchInfo *, const GroupInfo *group) {
  if (group->group_id[0] == 3 && group->group_id[1] == 2)
    write_to(0x10);
}

class Faults : public testing::Test {
protected:
  std::shared_ptr<CpuDevice> device = CpuDevice::root();
  CommandQueue queue{device, QueueOrder::in_order, false};

  CommandRef enqueue(compiler::WorkGroupFunction function, std::string name) {
    compiler::KernelInfo info;
    info.name = std::move(name);
    auto prepared =
        KernelLaunch::make(*device, *make_kernel(std::make_shared<TestProgram>(function), info),
                           {.work_dim = 2, .global_size = {8, 4, 1}, .local_size = {1, 1, 1}}, {});
    CommandRef command = Command::create(std::move(*prepared));
    queue.enqueue(*command);
    return command;
  }
};

TEST_F(Faults, FailTheLaunchAndNameKernelAddressAndGroup) {
  testing::internal::CaptureStderr();
  CommandRef command = enqueue(write_to_null, "foo");
  EXPECT_EQ(command->wait(), status::out_of_resources);
  const std::string sentence =
      "kernel 'foo' crashed: invalid access to address 0x10 in work-group (3,2,0); "
      "`lockstep check --only memory PROGRAM` shows the source line";
  ASSERT_TRUE(command->error());
  EXPECT_EQ(command->error()->kind, ErrorKind::kernel_fault);
  EXPECT_EQ(command->error()->message, sentence);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "lockstep: " + sentence + "\n");
}

TEST_F(Faults, LeaveTheWorkersUsable) {
  static std::atomic<int> ran;
  ran = 0;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 20; ++i)
    enqueue(write_to_null, "again");
  CommandRef good = enqueue([](const LaunchInfo *, const GroupInfo *) { ++ran; }, "good");
  EXPECT_EQ(good->wait(), status::complete);
  EXPECT_EQ(ran, 32);
  testing::internal::GetCapturedStderr();
}

TEST_F(Faults, OfOtherKinds) {
  testing::internal::CaptureStderr();
#if defined(__x86_64__)
  CommandRef illegal =
      enqueue([](const LaunchInfo *, const GroupInfo *) { asm volatile("ud2"); }, "illegal");
  CommandRef division = enqueue(
      [](const LaunchInfo *, const GroupInfo *) {
        asm volatile("xorl %%ecx, %%ecx; movl $1, %%eax; cltd; idivl %%ecx" ::
                         : "eax", "ecx", "edx");
      },
      "division");
#else
  CommandRef illegal =
      enqueue([](const LaunchInfo *, const GroupInfo *) { asm volatile("udf #0"); }, "illegal");
  CommandRef division = enqueue(
      [](const LaunchInfo *, const GroupInfo *) {
        asm volatile("sdiv w9, w9, wzr" ::: "x9");
      },
      "division");
#endif
#if defined(__x86_64__)
  CommandRef misaligned = enqueue(
      [](const LaunchInfo *, const GroupInfo *) {
        alignas(16) static const char bytes[32] = {};
        asm volatile("movaps (%0), %%xmm0" ::"r"(bytes + 4) : "xmm0");
      },
      "misaligned");
#endif
  CommandRef non_canonical = enqueue(
      [](const LaunchInfo *, const GroupInfo *) { write_to(0x8000'0000'0000'0000); }, "wild");
  queue.finish();
  ASSERT_TRUE(illegal->error() && non_canonical->error());
  EXPECT_THAT(illegal->error()->message, HasSubstr("kernel 'illegal' ran an illegal instruction"));
#if defined(__x86_64__)
  ASSERT_TRUE(division->error());
  EXPECT_THAT(division->error()->message, HasSubstr("arithmetic exception"));
  EXPECT_THAT(non_canonical->error()->message, HasSubstr("an address that no memory can have"));
  ASSERT_TRUE(misaligned->error());
  EXPECT_THAT(misaligned->error()->message, HasSubstr("not a multiple of its size"));
#else // the division yields 0, and the system reports each address
  EXPECT_FALSE(division->error());
  EXPECT_THAT(non_canonical->error()->message,
              HasSubstr("kernel 'wild' crashed: invalid access to address"));
#endif
  testing::internal::GetCapturedStderr();
}

TEST_F(Faults, StackOverflowIsNamed) {
  testing::internal::CaptureStderr();
  CommandRef command = enqueue(
      [](const LaunchInfo *, const GroupInfo *group) {
        volatile char frame[2] = {};
        if (group->group_id[0] == 0 && group->group_id[1] == 0)
          recurse(frame);
      },
      "deep");
  command->wait();
  ASSERT_TRUE(command->error());
  EXPECT_THAT(command->error()->message, HasSubstr("kernel 'deep' overflowed the stack"));
  testing::internal::GetCapturedStderr();
}

// The page after a buffer may be the guard of a stack.
TEST_F(Faults, AccessesThatMeetTheGuardOfAStackAreNoOverflow) {
  testing::internal::CaptureStderr();
  CommandRef command = enqueue(
      [](const LaunchInfo *, const GroupInfo *) {
        const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        write_to(here - WorkerPool::stack_bytes - 4096);
      },
      "far");
  command->wait();
  ASSERT_TRUE(command->error());
  EXPECT_THAT(command->error()->message,
              HasSubstr("kernel 'far' crashed: invalid access to address"));
  testing::internal::GetCapturedStderr();
}

TEST_F(Faults, OfTheProgramStillEndTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        enqueue([](const LaunchInfo *, const GroupInfo *) {}, "installs the handlers")->wait();
        write_to(0x20);
      },
      "");
}

TEST_F(Faults, GoToTheHandlerThatWasThereBefore) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        struct sigaction action{};
        action.sa_sigaction = [](int, siginfo_t *info, void *) {
          _exit(info->si_addr == reinterpret_cast<void *>(0x30) ? 42 : 1);
        };
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, nullptr);
        enqueue([](const LaunchInfo *, const GroupInfo *) {}, "installs the handlers")->wait();
        write_to(0x30);
      },
      testing::ExitedWithCode(42), "");
}

} // namespace
} // namespace lockstep::runtime
