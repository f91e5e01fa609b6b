// Tests that a deadlock ends with a report, and that kernels that make progress are not reported.
#include "late_notifications.h"
#include "waiting_fixture.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::test {
namespace {

unsigned line_of(const char *comment) {
  const std::string text = waiting_source;
  return unsigned(1 + std::count(text.begin(), text.begin() + long(text.find(comment)), '\n'));
}

// Tests the deadlock report, which goes to the context's callback as well as to stderr.
class Deadlocked : public Waiting {
protected:
  void SetUp() override {
    device_ = find_device();
    ASSERT_NE(device_, nullptr);
    cl_int status = 1;
    context_ = Context(clCreateContext(nullptr, 1, &device_, LateNotifications::receive,
                                       notifications_.user_data(), &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = make_queue(0);
    program_ = build(waiting_source, "-cl-std=CL3.0");
    counters_ = make_buffer(64);
    fill(counters_, 64);
    out_ = make_buffer(4096);
  }
  // Returns all messages, including the one of the launch's end, which follows soon.
  std::string sentences() { return notifications_.with("a command failed"); }
  LateNotifications notifications_;
};

TEST_F(Deadlocked, LaunchEndsWithAReport) {
  Event event = launch(queue_, "wait_for_ever", {counters_, out_}, 2560, 256);
  EXPECT_LT(end(event), 0);
  const std::string report = sentences();
  EXPECT_NE(report.find("kernel 'wait_for_ever' is deadlocked"), std::string::npos) << report;
  EXPECT_NE(report.find("work-groups 0 to 9 (work-item"), std::string::npos) << report;
  EXPECT_NE(report.find(":" + std::to_string(line_of("// this line")) + ":"), std::string::npos)
      << report;
  EXPECT_NE(report.find("for byte 4 of the buffer of 64 bytes that is argument 0 'flag', "
                        "which holds 0"),
            std::string::npos)
      << report;
  // The report gives the work-items of a sub-group as one range, for every sub-group size.
  EXPECT_NE(report.find("-255 of work-group "), std::string::npos) << report;
  EXPECT_NE(report.find("have arrived at the barrier at"), std::string::npos) << report;
  // The queue remains usable.
  EXPECT_EQ(end(launch(queue_, "plain", {out_}, 100, 10)), CL_COMPLETE);
}

TEST_F(Deadlocked, BarrierThatSomeDoNotReachEndsWithAReport) {
  Event event = launch(queue_, "barrier_for_some", {counters_, out_}, 256, 256);
  EXPECT_LT(end(event), 0);
  const std::string report = sentences();
  EXPECT_NE(report.find("(work-items 0-127) have arrived at the barrier at"), std::string::npos)
      << report;
  EXPECT_NE(report.find(":" + std::to_string(line_of("// and this")) + ":"), std::string::npos)
      << report;
  EXPECT_NE(report.find("(work-items 128-255) have returned"), std::string::npos) << report;
}

TEST_F(Deadlocked, WhatComesAfterMayStillHelpOthers) {
  Queue second = make_queue(0);
  Event helped = launch(second, "wait_for_flag", {counters_, out_}, 10, 1);
  Event dead = launch(queue_, "wait_for_ever", {counters_, out_}, 8, 8);
  Event helper = launch(queue_, "set_flag", {counters_}, 1, 1);
  EXPECT_EQ(end(helped), CL_COMPLETE);
  EXPECT_LT(end(dead), 0);
  EXPECT_EQ(end(helper), CL_COMPLETE);
}

TEST_F(Deadlocked, ProgramVariablesAreNamed) {
  EXPECT_LT(end(launch(queue_, "wait_at_door", {out_}, 4, 2)), 0);
  EXPECT_NE(sentences().find("for the program-scope variable 'door', which holds 4294967293 (-3 if "
                             "it is signed)"),
            std::string::npos)
      << sentences();
}

TEST_F(Deadlocked, NamesOfArgumentsAreForReportsOnly) {
  Kernel kernel = make_kernel(program_, "wait_for_ever");
  char name[16];
  EXPECT_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, nullptr),
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
}

TEST_F(Deadlocked, ValuesAreThoseOfTheType) {
  const cl_int minus_one = -1;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, out_, &minus_one, 4, 0, 4, 0, nullptr, nullptr),
            CL_SUCCESS);
  Memory third = make_buffer(4096);
  EXPECT_LT(end(launch(queue_, "wait_for_either", {out_, counters_, third}, 4, 2)), 0);
  const std::string report = sentences();
  EXPECT_NE(report.find("argument 0 'mine'"), std::string::npos) << report;
  EXPECT_NE(report.find("which holds -1"), std::string::npos) << report;
  for (const char *line : {"// the host's", "// the other"})
    EXPECT_NE(report.find(":" + std::to_string(line_of(line)) + ":"), std::string::npos) << report;
}

TEST_F(Waiting, WhoCountsForAnotherIsAlive) {
  EXPECT_EQ(end(launch(queue_, "count_for_another", {counters_, out_}, 2, 2)), CL_COMPLETE);
  EXPECT_EQ(read<cl_uint>(out_, 2), (std::vector<cl_uint>{1, 1}));
}

// The host writes one of two flags, and not the one that the kernel reads last.
TEST_F(Waiting, TheHostMayReleaseOneOfTwo) {
  if (!(device_info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES) &
        CL_DEVICE_SVM_FINE_GRAIN_SYSTEM))
    GTEST_SKIP() << "the device and the host do not share memory while a kernel runs";
  auto *shared = static_cast<std::atomic<cl_uint> *>(std::aligned_alloc(4096, 4096));
  *shared = 0;
  {
    const cl_int minus_one = -1;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, counters_, &minus_one, 4, 0, 4, 0, nullptr, nullptr),
              CL_SUCCESS);
    Memory flag = make_buffer(4096, CL_MEM_USE_HOST_PTR, shared);
    Event waiting = launch(queue_, "wait_for_either", {counters_, flag, out_}, 100, 10);
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      *shared = 1;
    });
    EXPECT_EQ(end(waiting), CL_COMPLETE);
    host.join();
  }
  std::free(shared);
}

TEST_F(Deadlocked, LaunchThatWritesTheSameForEverEnds) {
  EXPECT_LT(end(launch(queue_, "write_for_ever", {counters_, out_}, 40, 10)), 0);
}

TEST_F(Deadlocked, LaunchThatWritesVectorsOfThreeForEverEnds) {
  Memory out = make_buffer(40 * sizeof(cl_float4));
  EXPECT_LT(end(launch(queue_, "write_three_for_ever", {counters_, out}, 40, 10)), 0);
}

TEST_F(Waiting, WhoCountsInVectorsOfThreeIsAlive) {
  const std::size_t bytes = 40 * sizeof(cl_float4);
  Memory out = make_buffer(bytes);
  const float zero = 0;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, out, &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(end(launch(queue_, "write_three_and_count", {counters_, out}, 40, 10)), CL_COMPLETE);
}

TEST_F(Deadlocked, LaunchThatWritesTwiceForEverEnds) {
  Memory odd = make_buffer(3 * 40);
  EXPECT_LT(end(launch(queue_, "write_twice_for_ever", {counters_, out_, odd}, 40, 10)), 0);
}

TEST_F(Waiting, RoundsWriteWhereOthersHaveNoAddress) {
  constexpr size_t items = 40;
  Memory odd = make_buffer(3 * items);
  EXPECT_EQ(end(launch(queue_, "write_while_waiting", {counters_, out_, odd}, items, 10)),
            CL_COMPLETE);
  const auto out = read<cl_uint>(out_, items);
  const auto bytes = read<cl_uchar>(odd, 3 * items);
  for (size_t i = 0; i < items; ++i) {
    EXPECT_EQ(out[i], i % 3 == 0 ? 2u : 0u) << i;
    EXPECT_EQ(bytes[3 * i + 1], 0x34) << i;
    EXPECT_EQ(bytes[3 * i + 2], 0x12) << i;
  }
}

TEST_F(Waiting, WhoWritesMuchAndCountsIsAlive) {
  EXPECT_EQ(end(launch(queue_, "write_and_count", {counters_, out_}, 40, 10)), CL_COMPLETE);
}

TEST_F(Deadlocked, LaunchThatCopiesTheSameForEverEnds) {
  Memory out = make_buffer(40 * 320);
  EXPECT_LT(end(launch(queue_, "copy_for_ever", {counters_, out}, 40, 10)), 0);
}

TEST_F(Waiting, WhoCopiesMuchAndCountsIsAlive) {
  Memory out = make_buffer(40 * 320);
  EXPECT_EQ(end(launch(queue_, "copy_and_count", {counters_, out}, 40, 10)), CL_COMPLETE);
}

TEST_F(Deadlocked, LaunchBesideOneThatGoesOnEnds) {
  Queue second = make_queue(0), third = make_queue(0);
  Memory flag = make_buffer(64), out = make_buffer(64);
  fill(flag, 64);
  Event living = launch(second, "count_for_long", {flag, out}, 10, 1);
  EXPECT_LT(end(launch(queue_, "wait_for_ever", {counters_, out_}, 256, 256)), 0);
  EXPECT_EQ(status_of(living), CL_RUNNING);
  EXPECT_EQ(end(launch(third, "set_flag", {flag}, 1, 1)), CL_COMPLETE);
  EXPECT_EQ(end(living), CL_COMPLETE);
}

// Requires LOCKSTEP_WAITING_MEMORY=1, in a process of its own: the library reads the limit once.
class WithLittleMemory : public Deadlocked {
protected:
  void SetUp() override {
    if (!std::getenv("LOCKSTEP_WAITING_MEMORY"))
      GTEST_SKIP() << "LOCKSTEP_WAITING_MEMORY is not set";
    Deadlocked::SetUp();
    out_ = make_buffer(1 << 20);
  }
};

TEST_F(WithLittleMemory, MoreGroupsThanCanWaitAreRefused) {
  EXPECT_EQ(end(launch(queue_, "meet", {counters_, out_}, 100'000, 1)), CL_OUT_OF_RESOURCES);
  const std::string sentence = sentences();
  EXPECT_NE(sentence.find("the limit for all that wait is 1048576 bytes"), std::string::npos)
      << sentence;
}

TEST_F(WithLittleMemory, ManyGroupsThatNeedNotAllBeThereRun) {
  fill(out_, 4);
  EXPECT_EQ(end(launch(queue_, "lock", {counters_, out_}, 100'000, 1)), CL_COMPLETE);
  EXPECT_EQ(read<cl_uint>(out_, 1)[0], 100'000u);
}

TEST_F(Waiting, TheDeviceSaysSo) {
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS), CL_TRUE);
}

} // namespace
} // namespace lockstep::test
