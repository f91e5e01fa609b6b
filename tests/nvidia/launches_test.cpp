// Launches of the NVIDIA device, and launches that fail, through OpenCL's entry points, on the fake
// driver.
#include "api/opencl/entry_points.h"
#include "tests/nvidia/device_fixture.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::opencl {
namespace {

using fake_cuda::controls;

TEST_F(NvidiaDeviceTest, WorkItemsKnowWhereTheyAre) {
  check_numbers({64, 6}, {16, 2}, {0, 0}); // one CUDA launch of code for this size
  check_numbers({64, 6}, {16, 2}, {3, 5});
}

TEST_F(NvidiaDeviceTest, GroupsAtTheEdgeAreSmaller) {
  const size_t before = controls().launches;
  check_numbers({70, 7}, {16, 2}, {0, 9});
  EXPECT_EQ(controls().launches - before, 4u); // inside, two edges, the corner
  check_numbers({10, 6}, {16, 2}, {0, 0});     // the only group of a row is smaller
}

// More geometries than the kernel keeps, in any order.
TEST_F(NvidiaDeviceTest, LaunchesOfOneKernelDifferInSize) {
  const cl_kernel number = kernel("number");
  std::minstd_rand random(1);
  const auto pick = [&random](std::initializer_list<size_t> from) {
    return from.begin()[random() % from.size()];
  };
  for (int i = 0; i < 40; ++i)
    check_numbers(number, {pick({48, 64, 70}), 6}, {pick({16, 32}), 2}, {0, pick({0, 5})});
}

TEST_F(NvidiaDeviceTest, LocalMemory) {
  Values values(64);
  std::iota(values.begin(), values.end(), 0);
  cl_mem to = make(values);
  cl_kernel reverse = kernel("reverse");
  set(reverse, 0, to);
  ASSERT_EQ(opencl::clSetKernelArg(reverse, 1, 33, nullptr), CL_SUCCESS);
  ASSERT_EQ(opencl::clSetKernelArg(reverse, 2, 32 * sizeof(cl_int), nullptr), CL_SUCCESS);
  set(reverse, 3, cl_int{1000});
  ASSERT_EQ(launch(reverse, {64}, {32}), CL_SUCCESS);
  Values expected(64);
  for (int i = 0; i < 64; ++i)
    expected[i] = i / 32 * 32 + 31 - i % 32 + 1000;
  EXPECT_EQ(read(to, 64), expected);
  ASSERT_EQ(opencl::clSetKernelArg(reverse, 1, 60 << 10, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(reverse, {64}, {32}), CL_OUT_OF_RESOURCES);
  // `row` begins elsewhere now. Each launch has the argument that was set before it.
  ASSERT_EQ(opencl::clSetKernelArg(reverse, 1, 600, nullptr), CL_SUCCESS);
  for (cl_int add = -5; add < 4; ++add) {
    set(reverse, 3, add);
    ASSERT_EQ(launch(reverse, {64}, {32}), CL_SUCCESS);
  }
  for (int i = 0; i < 64; ++i)
    expected[i] = i + 1000 - 5 - 4;
  EXPECT_EQ(read(to, 64), expected);
}

// A stream that has had many launches of a kernel makes a graph of one, if the driver can.
TEST_F(NvidiaDeviceTest, ManyLaunchesWithOtherArguments) {
  constexpr int count = 64, launches = 600; // more than half of them on streams with a graph
  Values values(count);
  std::iota(values.begin(), values.end(), 0);
  cl_mem to = make(values);
  cl_kernel reverse = kernel("reverse");
  set(reverse, 0, to);
  const auto launch_all = [&](cl_int local) {
    ASSERT_EQ(opencl::clSetKernelArg(reverse, 1, local * sizeof(cl_int), nullptr), CL_SUCCESS);
    ASSERT_EQ(opencl::clSetKernelArg(reverse, 2, local * sizeof(cl_int), nullptr), CL_SUCCESS);
    for (cl_int i = 0; i < launches; ++i) {
      set(reverse, 3, i / 2); // each value twice
      ASSERT_EQ(launch(reverse, {count}, {size_t(local)}), CL_SUCCESS);
      for (auto group = values.begin(); group != values.end(); group += local)
        std::reverse(group, group + local);
      for (cl_int &value : values)
        value += i / 2;
    }
    EXPECT_EQ(read(to, count), values);
  };
  const size_t before = controls().graph_launches;
  launch_all(32);
  EXPECT_GE(controls().graph_launches - before, size_t(launches - 8 * 63));
  controls().graph_status = runtime::cuda::out_of_memory;
  launch_all(16);
  EXPECT_EQ(controls().graph_status, 0); // a stream has tried to make one
}

TEST_F(NvidiaDeviceTest, NothingToDo) {
  cl_mem to = make(Values(8));
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  EXPECT_EQ(launch(increase, {0}), CL_SUCCESS);
  EXPECT_EQ(read(to, 8), Values(8));
}

TEST_F(NvidiaDeviceTest, NullIsNull) {
  cl_mem to = make(Values(1));
  cl_kernel is_null = kernel("is_null");
  set(is_null, 0, to);
  ASSERT_EQ(opencl::clSetKernelArg(is_null, 1, sizeof(cl_mem), nullptr), CL_SUCCESS);
  ASSERT_EQ(launch(is_null, {1}), CL_SUCCESS);
  EXPECT_EQ(read(to, 1), Values{1});
}

TEST_F(NvidiaDeviceTest, ProgramScopeVariables) {
  cl_mem to = make(Values(1));
  cl_kernel count = kernel("count");
  set(count, 0, to);
  ASSERT_EQ(launch(count, {1}), CL_SUCCESS);
  EXPECT_EQ(read(to, 1), Values{6});
  const std::vector<uint64_t> seen = test::variables_of_last_launch();
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen, (std::vector<uint64_t>{seen[0], 11, seen[0] + 16, 33}));
  // Code for launches with an offset has the same variables.
  ASSERT_EQ(launch(count, {1}, {1}, {7}), CL_SUCCESS);
  EXPECT_EQ(read(to, 1), Values{7});
  EXPECT_EQ(test::variables_of_last_launch(), seen);
}

// The fake device prints 42 by the card's buffer for each work-item.
TEST_F(NvidiaDeviceTest, Printf) {
  cl_kernel print = kernel("print");
  testing::internal::CaptureStdout();
  ASSERT_EQ(launch(print, {1}, {1}), CL_SUCCESS);
  ASSERT_EQ(launch(print, {5}, {4}), CL_SUCCESS); // two CUDA launches
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  std::string text = testing::internal::GetCapturedStdout();
  const auto count = [&](const std::string &line) {
    size_t lines = 0;
    for (size_t at = 0; (at = text.find(line, at)) != text.npos; ++at)
      ++lines;
    return lines;
  };
  EXPECT_EQ(count("number 42\n"), 6u) << text;
  EXPECT_EQ(count("number 7\n"), 6u) << text;
}

// More than the host gets with the launch.
TEST_F(NvidiaDeviceTest, PrintfOfManyWorkItems) {
  constexpr size_t items = 60'000;
  testing::internal::CaptureStdout();
  ASSERT_EQ(launch(kernel("print"), {items}, {100}), CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(text.begin(), text.end(), '4'), ptrdiff_t(items)); // of 42
  EXPECT_EQ(std::count(text.begin(), text.end(), '7'), ptrdiff_t(items));
}

// The card copies the string into its record. The fake device prints "card".
TEST_F(NvidiaDeviceTest, PrintfOfStrings) {
  cl_mem to = make(Values{1});
  cl_kernel print = kernel("print_text");
  set(print, 0, to);
  testing::internal::CaptureStdout();
  ASSERT_EQ(launch(print, {1}, {1}), CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("text card\n"), text.npos) << text;
  EXPECT_NE(text.find("text firs\n"), text.npos) << text;
}

TEST_F(NvidiaDeviceTest, ManyLaunchesInFlight) {
  cl_mem to = make(Values(8));
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue free_queue =
      opencl::clCreateCommandQueueWithProperties(context_, device_, properties, nullptr);
  const size_t global = 8;
  for (int i = 0; i < 2000; ++i)
    ASSERT_EQ(opencl::clEnqueueNDRangeKernel(free_queue, increase, 1, nullptr, &global, nullptr, 0,
                                             nullptr, nullptr),
              CL_SUCCESS);
  EXPECT_EQ(opencl::clFinish(free_queue), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseCommandQueue(free_queue), CL_SUCCESS);
  EXPECT_EQ(read(to, 8), Values(8, 2000));
}

// A chain costs no wait for the host between two launches.
TEST_F(NvidiaDeviceTest, LaunchesOfAnInOrderQueueAreSubmittedBeforeTheyRun) {
  cl_mem to = make(Values(8));
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  ASSERT_EQ(launch(increase, {8}), CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  const size_t before = controls().submitted_launches;
  cl_event event = nullptr;
  controls().is_held = true;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(launch(increase, {8}, {}, {}, i == 9 ? &event : nullptr), CL_SUCCESS);
    if (i == 3)
      ASSERT_EQ(opencl::clEnqueueBarrierWithWaitList(queue_, 0, nullptr, nullptr), CL_SUCCESS);
  }
  EXPECT_EQ(controls().submitted_launches - before, 10u);
  cl_int status = 0;
  opencl::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  controls().is_held = false;
  EXPECT_EQ(status, CL_SUBMITTED);
  EXPECT_EQ(read(to, 8), Values(8, 11));
  EXPECT_EQ(opencl::clReleaseEvent(event), CL_SUCCESS);
}

// The times are the card's, not those at which the host saw the end.
TEST_F(NvidiaDeviceTest, Profiling) {
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue queue =
      opencl::clCreateCommandQueueWithProperties(context_, device_, properties, nullptr);
  cl_mem to = make(Values(8));
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  constexpr cl_ulong held_nanoseconds = 30'000'000;
  const size_t global = 8;
  // The clocks are related now, and not again while the streams are held.
  ASSERT_EQ(opencl::clEnqueueNDRangeKernel(queue, increase, 1, nullptr, &global, nullptr, 0,
                                           nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queue), CL_SUCCESS);
  std::array<cl_event, 3> events{};
  controls().is_held = true;
  for (cl_event &event : events)
    ASSERT_EQ(opencl::clEnqueueNDRangeKernel(queue, increase, 1, nullptr, &global, nullptr, 0,
                                             nullptr, &event),
              CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::nanoseconds(held_nanoseconds));
  controls().is_held = false;
  ASSERT_EQ(opencl::clFinish(queue), CL_SUCCESS);
  cl_ulong last_end = 0;
  for (cl_event event : events) {
    std::array<cl_ulong, 5> times{};
    const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                       CL_PROFILING_COMMAND_COMPLETE};
    for (int i = 0; i < 5; ++i)
      ASSERT_EQ(
          opencl::clGetEventProfilingInfo(event, names[i], sizeof times[i], &times[i], nullptr),
          CL_SUCCESS);
    EXPECT_TRUE(std::ranges::is_sorted(times));
    EXPECT_GE(times[2] - times[1], held_nanoseconds / 2); // the first operation was held
    EXPECT_GE(times[2] + 1000, last_end);                 // a float of milliseconds is rounded
    last_end = times[3];
    EXPECT_EQ(opencl::clReleaseEvent(event), CL_SUCCESS);
  }
  EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
}

TEST_F(NvidiaDeviceTest, ALaunchThatTheDriverRefuses) {
  cl_mem to = make(Values(8));
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  controls().launch_status = runtime::cuda::launch_out_of_resources;
  cl_event event = nullptr;
  ASSERT_EQ(launch(increase, {8}, {}, {}, &event), CL_SUCCESS);
  EXPECT_EQ(opencl::clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  cl_int status = 0;
  opencl::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  EXPECT_EQ(status, CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(heard_.have("launching kernel 'increase'")) << heard_.all();
  EXPECT_EQ(opencl::clReleaseEvent(event), CL_SUCCESS);
  ASSERT_EQ(launch(increase, {8}), CL_SUCCESS);
  EXPECT_EQ(read(to, 8), Values(8, 1));
}

TEST_F(NvidiaDeviceTest, AFaultFailsItsCommand) {
  cl_mem to = make(Values(8));
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  ASSERT_EQ(launch(increase, {8}), CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  controls().fault_status = runtime::cuda::illegal_address;
  cl_event event = nullptr;
  ASSERT_EQ(launch(increase, {8}, {}, {}, &event), CL_SUCCESS);
  EXPECT_EQ(opencl::clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_TRUE(heard_.have("kernel 'increase' failed: CUDA_ERROR_ILLEGAL_ADDRESS")) << heard_.all();
  EXPECT_TRUE(heard_.have("Fake Card cannot be used in this process any more")) << heard_.all();
  EXPECT_EQ(opencl::clReleaseEvent(event), CL_SUCCESS);
}

} // namespace
} // namespace lockstep::opencl
