// Launches of the NVIDIA device whose work-groups wait for each other, on the fake driver: their pools
// of groups, how they leave the card for other work, and deadlocks.
#include "api/opencl/entry_points.h"
#include "api/opencl/memory.h"
#include "tests/nvidia/device_fixture.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

#include <string>
#include <thread>
#include <vector>

namespace lockstep::opencl {
namespace {

using fake_cuda::controls;

// The fake card runs eight groups at once.
TEST_F(NvidiaDeviceTest, GroupsThatWaitHaveAPool) {
  cl_mem to = make(Values(64));
  cl_kernel hand_on = kernel("hand_on"), increase = kernel("increase");
  set(hand_on, 0, to);
  test::take_group_pools();
  ASSERT_EQ(launch(hand_on, {8}, {2}), CL_SUCCESS);
  EXPECT_EQ(read(to, 4), (Values{1, 2, 3, 4}));
  for (const Sizes &offset : {Sizes{0}, Sizes{4}}) {
    ASSERT_EQ(launch(hand_on, {18}, {2}, offset), CL_SUCCESS);
    ASSERT_EQ(launch(hand_on, {18}, {2}, offset), CL_SUCCESS);
  }
  EXPECT_EQ(read(to, 9), (Values{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const std::vector<lockstep_group_pool> pools = test::take_group_pools();
  ASSERT_EQ(pools.size(), 5u);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    EXPECT_EQ(pools[i].groups, i == 0 ? 4u : 9u);
    EXPECT_EQ(pools[i].blocks, i == 0 ? 4u : 8u);
    EXPECT_EQ(pools[i].slots, pools[i].groups);
    EXPECT_EQ(pools[i].next_group + pools[i].next_slot + pools[i].finished, 0u);
    EXPECT_EQ(pools[i].suspended, 0u);
  }
  set(increase, 0, to);
  ASSERT_EQ(launch(increase, {8}, {2}), CL_SUCCESS); // does not wait
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  EXPECT_TRUE(test::take_group_pools().empty());
}

// Groups of all sizes are one CUDA launch.
TEST_F(NvidiaDeviceTest, GroupsOfSeveralSizesThatWaitHaveOnePool) {
  cl_mem to = make(Values(64));
  cl_kernel hand_on = kernel("hand_on"), sizes = kernel("sizes_in_turn");
  set(hand_on, 0, to);
  test::take_group_pools();
  ASSERT_EQ(launch(hand_on, {11}, {2}), CL_SUCCESS);
  EXPECT_EQ(read(to, 6), (Values{1, 2, 3, 4, 5, 6}));
  std::vector<lockstep_group_pool> pools = test::take_group_pools();
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools[0].groups, 6u);
  to = make(Values(64));
  set(sizes, 0, to);
  ASSERT_EQ(launch(sizes, {5, 3}, {2, 2}), CL_SUCCESS);
  Values expected;
  for (cl_int y = 0; y < 3; ++y)
    for (cl_int x = 0; x < 5; ++x)
      expected.push_back((x == 4 ? 1 : 2) * 1000 + (y == 2 ? 1 : 2) * 100 + x % 2 * 10 + y % 2);
  EXPECT_EQ(read(to, 15), expected);
  pools = test::take_group_pools();
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools[0].groups, 6u);
}

// Pools that no launch uses are freed for other memory, and a pool may be smaller than wanted.
TEST_F(NvidiaDeviceTest, PoolsOfWaitingGroupsYieldToOtherMemory) {
  cl_mem to = make(Values(64));
  cl_kernel hand_on = kernel("hand_on");
  set(hand_on, 0, to);
  ASSERT_EQ(launch(hand_on, {18}, {2}), CL_SUCCESS);
  EXPECT_EQ(read(to, 9), (Values{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  controls().allocation_status = runtime::cuda::out_of_memory;
  EXPECT_EQ(read(make(Values(1000, 7)), 1), Values{7});
  cl_mem other = make(Values(64));
  set(hand_on, 0, other);
  ASSERT_EQ(launch(hand_on, {18}, {2}), CL_SUCCESS); // the pool or the buffer
  EXPECT_EQ(read(other, 9), (Values{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  controls().allocation_status = runtime::cuda::success;
}

// The driver loads no code while a kernel runs. So one that waits leaves the card, and comes back.
TEST_F(NvidiaDeviceTest, AKernelThatWaitsLeavesWhileCodeIsLoaded) {
  cl_mem to = make(Values(64)), other = make({4});
  cl_kernel hand_on = kernel("hand_on"), increase = kernel("increase");
  set(hand_on, 0, to);
  set(increase, 0, other);
  test::take_group_pools();
  lockstep_wait wait{};
  wait.is_suspended = 1;
  test::set_deadlock({wait, wait}); // the first time
  cl_event event = nullptr;
  ASSERT_EQ(launch(hand_on, {18}, {2}, {}, &event), CL_SUCCESS);
  while (test::take_group_pools().empty()) // it has not begun
    std::this_thread::yield();
  cl_command_queue second =
      opencl::clCreateCommandQueueWithProperties(context_, device_, nullptr, nullptr);
  const size_t one = 1;
  ASSERT_EQ(
      opencl::clEnqueueNDRangeKernel(second, increase, 1, nullptr, &one, &one, 0, nullptr, nullptr),
      CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(second), CL_SUCCESS);
  EXPECT_EQ(opencl::clWaitForEvents(1, &event), CL_SUCCESS);
  EXPECT_EQ(read(other, 1), Values{5});
  EXPECT_EQ(read(to, 9), (Values{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(test::take_group_pools().size(), 1u); // the second time
  EXPECT_EQ(heard_.all().find("deadlock"), std::string::npos);
  EXPECT_EQ(opencl::clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseCommandQueue(second), CL_SUCCESS);
}

// A kernel that stands still also leaves for other work, which may be behind it on the same stream.
TEST_F(NvidiaDeviceTest, AKernelThatStandsStillLeavesForOthers) {
  cl_mem to = make(Values(64));
  cl_kernel hand_on = kernel("hand_on"), increase = kernel("increase");
  set(hand_on, 0, to);
  set(increase, 0, make({4}));
  ASSERT_EQ(launch(increase, {1}, {1}), CL_SUCCESS);
  ASSERT_EQ(launch(hand_on, {18}, {2}), CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS); // their code is loaded
  lockstep_wait wait{};
  wait.is_suspended = 1;
  test::take_group_pools();
  test::set_deadlock({wait, wait});
  ASSERT_EQ(launch(hand_on, {18}, {2}), CL_SUCCESS);
  while (test::take_group_pools().empty()) // it has not begun
    std::this_thread::yield();
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue second =
      opencl::clCreateCommandQueueWithProperties(context_, device_, properties, nullptr);
  std::vector<cl_mem> others;
  const size_t one = 1;
  for (int i = 0; i < 20; ++i) {
    others.push_back(make({i}));
    set(increase, 0, others.back());
    ASSERT_EQ(opencl::clEnqueueNDRangeKernel(second, increase, 1, nullptr, &one, &one, 0, nullptr,
                                             nullptr),
              CL_SUCCESS);
  }
  ASSERT_EQ(opencl::clFinish(second), CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(read(others[i], 1), Values{i + 1});
  EXPECT_EQ(heard_.all().find("deadlock"), std::string::npos);
  EXPECT_EQ(opencl::clReleaseCommandQueue(second), CL_SUCCESS);
}

// Freeing memory would wait for the kernel. So it is freed when more is needed, or the kernel has ended.
TEST_F(NvidiaDeviceTest, MemoryThatIsFreedWhileAKernelWaitsIsThereForOthers) {
  cl_mem to = make(Values(64)), other = make({7});
  cl_kernel hand_on = kernel("hand_on"), increase = kernel("increase");
  set(hand_on, 0, to);
  cl_mem freed =
      opencl::clCreateBuffer(context_, CL_MEM_READ_WRITE, sizeof(cl_int), nullptr, nullptr);
  set(increase, 0, freed);
  ASSERT_EQ(launch(increase, {1}, {1}), CL_SUCCESS);
  ASSERT_EQ(launch(hand_on, {18}, {2}), CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  set(increase, 0, other);
  test::take_group_pools();
  lockstep_wait wait{};
  wait.is_suspended = 1;
  test::set_deadlock({wait, wait});
  ASSERT_EQ(launch(hand_on, {18}, {2}), CL_SUCCESS);
  while (test::take_group_pools().empty()) // it has not begun
    std::this_thread::yield();
  EXPECT_EQ(opencl::clReleaseMemObject(freed), CL_SUCCESS);
  controls().allocation_status = runtime::cuda::out_of_memory;
  cl_command_queue second =
      opencl::clCreateCommandQueueWithProperties(context_, device_, nullptr, nullptr);
  const size_t one = 1;
  EXPECT_EQ(
      opencl::clEnqueueNDRangeKernel(second, increase, 1, nullptr, &one, &one, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(opencl::clFinish(second), CL_SUCCESS);
  EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  controls().allocation_status = runtime::cuda::success;
  EXPECT_EQ(read(other, 1), Values{8});
  EXPECT_EQ(read(to, 9), (Values{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(heard_.all().find("deadlock"), std::string::npos);
  EXPECT_EQ(opencl::clReleaseCommandQueue(second), CL_SUCCESS);
}

TEST_F(NvidiaDeviceTest, ADeadlockEndsAndIsReported) {
  cl_mem to = make(Values(64));
  cl_kernel hand_on = kernel("hand_on");
  set(hand_on, 0, to);
  test::take_group_pools();
  ASSERT_EQ(launch(hand_on, {18}, {2}), CL_SUCCESS); // its pool will be used again
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  ASSERT_EQ(test::take_group_pools().size(), 1u);
  ASSERT_EQ(read(to, 1), Values{1});
  const auto address =
      reinterpret_cast<uint64_t>(*to->buffer->address_in(test::fake_device()->memory_space()));
  test::set_deadlock({{.address = address + 8,
                       .value = 7,
                       .group = 5,
                       .site = 0,
                       .item = 0,
                       .watched = 4,
                       .is_suspended = 1,
                       .padding = 0},
                      {.address = address + 8,
                       .value = 7,
                       .group = 4,
                       .site = 0,
                       .item = 0,
                       .watched = 4,
                       .is_suspended = 1,
                       .padding = 0},
                      {.address = 0,
                       .value = 0,
                       .group = 8,
                       .site = 0,
                       .item = 1,
                       .watched = 0,
                       .is_suspended = 1,
                       .padding = 0}});
  cl_event event = nullptr;
  ASSERT_EQ(launch(hand_on, {18}, {2}, {}, &event), CL_SUCCESS);
  EXPECT_EQ(opencl::clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  const std::string text = heard_.with("is deadlocked");
  EXPECT_NE(
      text.find("'hand_on' is deadlocked: all of its work-groups that run wait (3 wait, 6 are "
                "done, 0 are not started)"),
      text.npos)
      << text;
  EXPECT_NE(text.find("work-groups 4 to 5 (work-item 0 of work-group 4) wait at"), text.npos)
      << text;
  EXPECT_NE(text.find(" for byte 8 of argument 0 'to', which holds 7"), text.npos) << text;
  EXPECT_NE(text.find("work-group 8 (work-item 1) wait"), text.npos) << text;
  ASSERT_EQ(launch(hand_on, {18}, {2}), CL_SUCCESS);
  EXPECT_EQ(read(to, 3), (Values{1, 2, 3}));
}

} // namespace
} // namespace lockstep::opencl
