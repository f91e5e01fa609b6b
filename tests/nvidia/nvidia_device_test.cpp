// Launches, memory and failures of the NVIDIA device, through OpenCL's entry points, on the fake
// driver.
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/memory.h"
#include "api/opencl/platform.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "runtime/launch/nvidia/nvidia_memory.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"
#include "tests/programs/late_notifications.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <thread>

namespace lockstep::opencl {
namespace {

using fake_cuda::controls;
using Values = std::vector<cl_int>;
using Sizes = std::vector<size_t>;

const char *const source = R"(
  kernel void number(global int *to) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    to[y * get_global_size(0) + x] = (int)(get_group_id(0) + 100 * get_group_id(1) +
        10000 * get_local_size(0) + 1000000 * get_num_groups(0) +
        10000000 * get_enqueued_local_size(0)) + (int)get_global_offset(1);
  }
  kernel void reverse(global int *to, local char *unused, local int *row, int add) {
    local int before[4];
    size_t i = get_local_id(0), n = get_local_size(0);
    if (i < 4) before[i] = add;
    unused[i] = 77;
    row[i] = to[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[get_global_id(0)] = row[n - 1 - i] + before[i % 4];
  }
  kernel void increase(global int *to) { atomic_inc(to + get_global_id(0)); }
  global int calls = 5;
  kernel void count(global int *to) { *to = ++calls; }
  kernel void print() { printf("number %d\n", 7); }
  kernel void hand_on(global atomic_int *to) { // each group waits for the one before
    size_t g = get_group_id(0);
    if (get_local_id(0) == 0) {
      if (g > 0)
        while (atomic_load_explicit(to + g - 1, memory_order_acquire, memory_scope_device) == 0) {}
      int before = g > 0 ? atomic_load_explicit(to + g - 1, memory_order_relaxed,
                                                memory_scope_device) : 0;
      atomic_store_explicit(to + g, before + 1, memory_order_release, memory_scope_device);
    }
  }
  kernel void sizes_in_turn(global atomic_int *to) { // to[63]: groups that are done
    size_t number = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    bool is_first = get_local_id(0) == 0 && get_local_id(1) == 0;
    if (is_first)
      while (atomic_load_explicit(to + 63, memory_order_acquire, memory_scope_device) < number) {}
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_store(to + get_global_id(1) * get_global_size(0) + get_global_id(0),
                 (int)(get_local_size(0) * 1000 + get_local_size(1) * 100 + get_local_id(0) * 10 +
                       get_local_id(1)));
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (is_first)
      atomic_fetch_add_explicit(to + 63, 1, memory_order_acq_rel, memory_scope_device);
  }
  typedef struct Node { global const struct Node *next; int value; } Node;
  kernel void link(global Node *nodes) {
    size_t i = get_global_id(0);
    nodes[i].value = (int)i;
    nodes[i].next = i + 1 < get_global_size(0) ? nodes + i + 1 : 0;
  }
  kernel void sum(global const ulong *first, global int *to) {
    for (global const Node *node = (global const Node *)*first; node; node = node->next)
      *to += node->value;
  }
  kernel void is_null(global int *to, global int *other) { *to = other == 0; }
)";

class NvidiaDeviceTest : public testing::Test {
protected:
  NvidiaDeviceTest() {
    fake_cuda::repair();
    static const cl_device_id device =
        create_object<_cl_device_id>(the_platform(), test::fake_device());
    device_ = device;
    context_ = opencl::clCreateContext(nullptr, 1, &device_, test::LateNotifications::receive,
                                       heard_.user_data(), nullptr);
    queue_ = opencl::clCreateCommandQueueWithProperties(context_, device_, nullptr, nullptr);
    program_ = opencl::clCreateProgramWithSource(context_, 1, const_cast<const char **>(&source),
                                                 nullptr, nullptr);
    EXPECT_EQ(opencl::clBuildProgram(program_, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr),
              CL_SUCCESS);
  }
  ~NvidiaDeviceTest() override {
    fake_cuda::repair();
    EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
    for (cl_kernel kernel : kernels_)
      EXPECT_EQ(opencl::clReleaseKernel(kernel), CL_SUCCESS);
    for (cl_mem buffer : buffers_)
      EXPECT_EQ(opencl::clReleaseMemObject(buffer), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseCommandQueue(queue_), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseProgram(program_), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseContext(context_), CL_SUCCESS);
  }

  cl_mem make(const Values &values) {
    buffers_.push_back(opencl::clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR,
                                              values.size() * sizeof(cl_int),
                                              const_cast<cl_int *>(values.data()), nullptr));
    return buffers_.back();
  }
  cl_kernel kernel(const char *name) {
    kernels_.push_back(opencl::clCreateKernel(program_, name, nullptr));
    return kernels_.back();
  }
  cl_int launch(cl_kernel kernel, const Sizes &global, const Sizes &local = {},
                const Sizes &offset = {}, cl_event *event = nullptr) {
    return opencl::clEnqueueNDRangeKernel(
        queue_, kernel, cl_uint(global.size()), offset.empty() ? nullptr : offset.data(),
        global.data(), local.empty() ? nullptr : local.data(), 0, nullptr, event);
  }
  Values read(cl_mem buffer, size_t count) {
    Values values(count);
    EXPECT_EQ(opencl::clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(cl_int),
                                          values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  template <class T> static void set(cl_kernel kernel, cl_uint index, const T &value) {
    EXPECT_EQ(opencl::clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS);
  }

  // Runs `number`, and compares with what each work-item must have seen.
  void check_numbers(const Sizes &global, const Sizes &local, const Sizes &offset) {
    cl_mem to = make(Values(global[0] * global[1]));
    cl_kernel number = kernel("number");
    set(number, 0, to);
    ASSERT_EQ(launch(number, global, local, offset), CL_SUCCESS);
    const Values seen = read(to, global[0] * global[1]);
    const size_t groups = (global[0] + local[0] - 1) / local[0];
    for (size_t y = 0; y < global[1]; ++y)
      for (size_t x = 0; x < global[0]; ++x) {
        const size_t group = x / local[0];
        const size_t size = std::min(local[0], global[0] - group * local[0]);
        ASSERT_EQ(size_t(seen[y * global[0] + x]), group + 100 * (y / local[1]) + 10000 * size +
                                                       1000000 * groups + 10000000 * local[0] +
                                                       offset[1])
            << x << "," << y;
      }
  }

  static runtime::NvidiaMemory &fake_memory() {
    return static_cast<runtime::NvidiaMemory &>(*test::fake_device()->memory_space());
  }

  test::LateNotifications heard_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_kernel> kernels_;
  std::vector<cl_mem> buffers_;
};

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

TEST_F(NvidiaDeviceTest, CopiesAndFillsDoNotMoveContentsToTheHost) {
  constexpr size_t count = 1 << 16, bytes = count * sizeof(cl_int);
  cl_mem a = make(Values(count)), b = make(Values(count));
  cl_kernel increase = kernel("increase");
  set(increase, 0, a);
  ASSERT_EQ(launch(increase, {count}), CL_SUCCESS); // `a` moves to the card
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  const size_t to_card = controls().bytes_to_device, to_host = controls().bytes_to_host;
  const size_t launches = controls().submitted_launches;
  const cl_int pattern[] = {1, 2, 3, 4};
  controls().is_held = true;
  ASSERT_EQ(opencl::clEnqueueFillBuffer(queue_, a, pattern, sizeof pattern, 0, bytes, 0, nullptr,
                                        nullptr),
            CL_SUCCESS);
  ASSERT_EQ(launch(increase, {count}), CL_SUCCESS);
  ASSERT_EQ(opencl::clEnqueueCopyBuffer(queue_, a, b, 0, 0, bytes, 0, nullptr, nullptr),
            CL_SUCCESS);
  set(increase, 0, b);
  ASSERT_EQ(launch(increase, {count}), CL_SUCCESS);
  Values some(8);
  ASSERT_EQ(
      opencl::clEnqueueReadBuffer(queue_, b, CL_FALSE, 64, 32, some.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(controls().submitted_launches - launches, 2u); // behind the fill and the copy
  controls().is_held = false;
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(some, (Values{3, 4, 5, 6, 3, 4, 5, 6}));
  EXPECT_EQ(controls().bytes_to_device - to_card, 0u);
  EXPECT_EQ(controls().bytes_to_host - to_host, 32u);
}

TEST_F(NvidiaDeviceTest, PatternsOfEachSize) {
  constexpr size_t bytes = 3 * 1024;
  cl_mem to = make(Values(bytes / sizeof(cl_int)));
  for (size_t size = 1; size <= 128; size *= 2)
    for (const bool repeats : {false, true}) {
      std::vector<unsigned char> pattern(size);
      for (size_t i = 0; i < size; ++i)
        pattern[i] = static_cast<unsigned char>(repeats ? i % 2 + 1 : 2 * i + 1);
      const size_t begin = 128, length = bytes - 128 - size;
      ASSERT_EQ(opencl::clEnqueueFillBuffer(queue_, to, pattern.data(), size, begin, length, 0,
                                            nullptr, nullptr),
                CL_SUCCESS);
      std::vector<unsigned char> seen(length), expected(length);
      for (size_t i = 0; i < length; ++i)
        expected[i] = pattern[i % size];
      ASSERT_EQ(opencl::clEnqueueReadBuffer(queue_, to, CL_TRUE, begin, length, seen.data(), 0,
                                            nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(seen, expected) << size;
    }
}

// The memory of the program is not copied first, and is not read before its commands have ended.
TEST_F(NvidiaDeviceTest, WritesAndReadsOfTheSameMemory) {
  for (const size_t count : {size_t{16}, size_t{1} << 16}) { // small and large transfers
    cl_mem a = make(Values(count, 5)), b = make(Values(count));
    cl_kernel increase = kernel("increase");
    set(increase, 0, a);
    Values values(count);
    const size_t bytes = count * sizeof(cl_int);
    ASSERT_EQ(launch(increase, {count}), CL_SUCCESS);
    ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
    const size_t to_card = controls().bytes_to_device;
    ASSERT_EQ(opencl::clEnqueueReadBuffer(queue_, a, CL_FALSE, 0, bytes, values.data(), 0, nullptr,
                                          nullptr),
              CL_SUCCESS);
    ASSERT_EQ(opencl::clEnqueueWriteBuffer(queue_, b, CL_FALSE, 0, bytes, values.data(), 0, nullptr,
                                           nullptr),
              CL_SUCCESS);
    set(increase, 0, b);
    ASSERT_EQ(launch(increase, {count}), CL_SUCCESS);
    EXPECT_EQ(read(b, count), Values(count, 7));
    EXPECT_EQ(controls().bytes_to_device - to_card, bytes);
  }
}

// Several parts, which host threads share, and a part of a block of the pinned memory.
TEST_F(NvidiaDeviceTest, LargeTransfers) {
  Values values(
      (3 * runtime::MemorySpace::part_bytes + 5 * runtime::NvidiaMemory::block_bytes / 2 + 4) /
      sizeof(cl_int));
  std::iota(values.begin(), values.end(), 0);
  cl_mem to = make(values);
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  ASSERT_EQ(launch(increase, {100}), CL_SUCCESS);
  std::for_each_n(values.begin(), 100, [](cl_int &value) { ++value; });
  EXPECT_EQ(read(to, values.size()), values);
}

// CL_MEM_ALLOC_HOST_PTR: parts go to the card and back as they are, not through blocks.
TEST_F(NvidiaDeviceTest, PinnedBuffersAreTransferredInWholeParts) {
  constexpr size_t parts = 3, bytes = parts * runtime::MemorySpace::part_bytes;
  static_assert(runtime::MemorySpace::part_bytes > runtime::NvidiaMemory::block_bytes);
  cl_mem other = make(Values(1));
  cl_kernel increase = kernel("increase");
  set(increase, 0, other);
  ASSERT_EQ(launch(increase, {1}), CL_SUCCESS); // the first launch writes the program's variables
  EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  for (const cl_mem_flags flags : {cl_mem_flags{0}, cl_mem_flags{CL_MEM_ALLOC_HOST_PTR}}) {
    cl_mem buffer = opencl::clCreateBuffer(context_, flags, bytes, nullptr, nullptr);
    ASSERT_NE(buffer, nullptr);
    buffers_.push_back(buffer);
    cl_int status = 1;
    const auto map = [&](cl_map_flags access) {
      return static_cast<cl_int *>(opencl::clEnqueueMapBuffer(queue_, buffer, CL_TRUE, access, 0,
                                                              bytes, 0, nullptr, nullptr, &status));
    };
    cl_int *numbers = map(CL_MAP_WRITE_INVALIDATE_REGION);
    ASSERT_EQ(status, CL_SUCCESS);
    std::iota(numbers, numbers + bytes / sizeof(cl_int), 5);
    EXPECT_EQ(opencl::clEnqueueUnmapMemObject(queue_, buffer, numbers, 0, nullptr, nullptr),
              CL_SUCCESS);
    set(increase, 0, buffer);
    const size_t before = controls().transfers;
    ASSERT_EQ(launch(increase, {100}), CL_SUCCESS);
    numbers = map(CL_MAP_READ);
    ASSERT_EQ(status, CL_SUCCESS);
    for (cl_int i = 0; i < cl_int(bytes / sizeof(cl_int)); ++i)
      ASSERT_EQ(numbers[i], i + 5 + (i < 100)) << i;
    EXPECT_EQ(opencl::clEnqueueUnmapMemObject(queue_, buffer, numbers, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
    const size_t blocks = bytes / runtime::NvidiaMemory::block_bytes;
    EXPECT_EQ(controls().transfers - before, 2 * (flags ? parts : blocks));
  }
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

// What the device lacks must not be reported.
TEST_F(NvidiaDeviceTest, Queries) {
  const auto value = [this]<class T>(cl_device_info what, T value) {
    EXPECT_EQ(opencl::clGetDeviceInfo(device_, what, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  };
  EXPECT_EQ(value(CL_DEVICE_TYPE, cl_device_type{}), CL_DEVICE_TYPE_GPU);
  EXPECT_EQ(value(CL_DEVICE_IMAGE_SUPPORT, cl_bool{CL_FALSE}), CL_TRUE);
  EXPECT_EQ(value(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t{}), 16384u);
  EXPECT_EQ(value(CL_DEVICE_PIPE_SUPPORT, cl_bool{CL_TRUE}), CL_FALSE);
  EXPECT_EQ(value(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_bitfield{1}), 0u);
  EXPECT_EQ(value(CL_DEVICE_SVM_CAPABILITIES, cl_bitfield{}), CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  EXPECT_EQ(value(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, cl_bitfield{}), 1u);
  EXPECT_EQ(value(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, cl_bitfield{}), 3u); // and atomics
  EXPECT_EQ(value(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield{}), 1u);
  EXPECT_EQ(value(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield{}), 1u);
  EXPECT_EQ(value(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, cl_bitfield{1}), 0u);
  EXPECT_EQ(value(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool{CL_TRUE}), CL_FALSE);
  EXPECT_EQ(value(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{}), 4u);
  EXPECT_EQ(value(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint{}), 32u);
  EXPECT_EQ(value(CL_DEVICE_SUB_GROUP_SIZES_INTEL, size_t{}), 32u);
  EXPECT_EQ(value(CL_DEVICE_PARTITION_PROPERTIES, cl_device_partition_property{1}), 0);
  EXPECT_EQ(value(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint{1}), 0u);
  std::vector<char> extensions(10000);
  ASSERT_EQ(opencl::clGetDeviceInfo(device_, CL_DEVICE_EXTENSIONS, extensions.size(),
                                    extensions.data(), nullptr),
            CL_SUCCESS);
  const std::string names = extensions.data();
  EXPECT_NE(names.find("cl_khr_subgroups"), names.npos);
  EXPECT_NE(names.find("cl_intel_unified_shared_memory"), names.npos);
  EXPECT_NE(names.find("cl_khr_image2d_from_buffer"), names.npos);
  EXPECT_EQ(names.find("external_memory"), names.npos) << names;
  EXPECT_EQ(names.find("svm"), names.npos) << names;
}

// The addresses of memory of the card are those of the program, also in memory.
TEST_F(NvidiaDeviceTest, AllocationsOfTheDevice) {
  struct Node {
    void *next;
    cl_int value;
  };
  constexpr size_t count = 100;
  auto *nodes = static_cast<Node *>(opencl::clDeviceMemAllocINTEL(
      context_, device_, nullptr, (count + 1) * sizeof(Node), 0, nullptr));
  auto *first = static_cast<cl_ulong *>(
      opencl::clSharedMemAllocINTEL(context_, device_, nullptr, sizeof(cl_ulong), 0, nullptr));
  auto *sum = static_cast<cl_int *>(
      opencl::clHostMemAllocINTEL(context_, nullptr, sizeof(cl_int), 0, nullptr));
  ASSERT_TRUE(nodes && first && sum);
  cl_kernel link = kernel("link"), add = kernel("sum");
  EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(link, 0, nodes), CL_SUCCESS);
  EXPECT_EQ(launch(link, {count}), CL_SUCCESS);
  const cl_int changed = 1007;
  EXPECT_EQ(opencl::clEnqueueMemcpyINTEL(queue_, CL_TRUE, &nodes[7].value, &changed, 4, 0, nullptr,
                                         nullptr),
            CL_SUCCESS);
  *first = reinterpret_cast<cl_ulong>(nodes);
  *sum = 5;
  EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(add, 0, first), CL_SUCCESS);
  EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(add, 1, sum), CL_SUCCESS);
  const cl_bool reaches = CL_TRUE;
  EXPECT_EQ(opencl::clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                        sizeof reaches, &reaches),
            CL_SUCCESS);
  EXPECT_EQ(launch(add, {1}), CL_SUCCESS);
  EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(*sum, 5 + 4950 + 1000);
  const cl_ulong pattern = 0x1122334455667788;
  EXPECT_EQ(opencl::clEnqueueMemFillINTEL(queue_, nodes, &pattern, 8, 16, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(opencl::clEnqueueMemcpyINTEL(queue_, CL_TRUE, first, nodes, 8, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(*first, pattern);
  // A kernel sees what the command before it has read into shared memory.
  cl_kernel increase = kernel("increase");
  for (cl_int i = 0; i < 20; ++i) {
    cl_mem one = make({i});
    *sum = -1;
    EXPECT_EQ(opencl::clSetKernelArg(increase, 0, sizeof one, &one), CL_SUCCESS);
    EXPECT_EQ(launch(increase, {1}), CL_SUCCESS); // now it is on the card
    EXPECT_EQ(opencl::clEnqueueReadBuffer(queue_, one, CL_FALSE, 0, 4, sum, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(increase, 0, sum), CL_SUCCESS);
    EXPECT_EQ(launch(increase, {1}), CL_SUCCESS);
    EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
    ASSERT_EQ(*sum, i + 2);
  }
  const size_t blocks = controls().allocations;
  // Wrong use has an error, and touches nothing.
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(opencl::clEnqueueMemcpyINTEL(queue_, CL_TRUE, nodes + count, nodes, 2 * sizeof(Node), 0,
                                         nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(opencl::clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, 16, nodes, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
  EXPECT_EQ(opencl::clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, 16, nodes, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
  EXPECT_EQ(opencl::clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, nodes, 16, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(opencl::clDeviceMemAllocINTEL(context_, device_, nullptr, 16, 1024, &status), nullptr);
  EXPECT_EQ(status, CL_OUT_OF_RESOURCES);
  for (void *each :
       {static_cast<void *>(nodes), static_cast<void *>(first), static_cast<void *>(sum)})
    EXPECT_EQ(opencl::clMemBlockingFreeINTEL(context_, each), CL_SUCCESS);
  EXPECT_EQ(controls().allocations, blocks - 1); // on the card
}

TEST_F(NvidiaDeviceTest, CoarseGrainedSharedMemory) {
  auto *numbers = static_cast<cl_int *>(
      opencl::clSVMAlloc(context_, CL_MEM_READ_WRITE, 100 * sizeof(cl_int), 0));
  ASSERT_NE(numbers, nullptr);
  EXPECT_EQ(opencl::clSVMAlloc(context_, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 4, 0),
            nullptr);
  const cl_int seven = 7;
  EXPECT_EQ(opencl::clEnqueueSVMMemFill(queue_, numbers, &seven, 4, 400, 0, nullptr, nullptr),
            CL_SUCCESS);
  cl_kernel increase = kernel("increase");
  EXPECT_EQ(opencl::clSetKernelArgSVMPointer(increase, 0, numbers + 50), CL_SUCCESS);
  EXPECT_EQ(launch(increase, {50}), CL_SUCCESS);
  EXPECT_EQ(opencl::clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, numbers, 400, 0,
                                    nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(Values(numbers, numbers + 50), Values(50, 7));
  EXPECT_EQ(Values(numbers + 50, numbers + 100), Values(50, 8));
  numbers[99] = 20;
  EXPECT_EQ(opencl::clEnqueueSVMUnmap(queue_, numbers, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(increase, {50}), CL_SUCCESS);
  Values last(1);
  EXPECT_EQ(opencl::clEnqueueSVMMemcpy(queue_, CL_TRUE, last.data(), numbers + 99, 4, 0, nullptr,
                                       nullptr),
            CL_SUCCESS);
  EXPECT_EQ(last[0], 21);
  // Memory of the host that is not shared has no address on the card.
  Values own(50);
  EXPECT_EQ(opencl::clSetKernelArgSVMPointer(increase, 0, own.data()), CL_SUCCESS);
  EXPECT_NE(launch(increase, {50}), CL_SUCCESS);
  opencl::clSVMFree(context_, numbers);
}

// A program for both devices is compiled for each.
TEST_F(NvidiaDeviceTest, MacrosAreThoseOfTheDevice) {
  static const cl_device_id cpu =
      create_object<_cl_device_id>(the_platform(), runtime::CpuDevice::root());
  const cl_device_id both[] = {device_, cpu};
  const char *macros = R"(
    kernel void k(global int *to) {
      *to = 1;
    #ifdef __opencl_c_images
      *to |= 2;
    #endif
    #ifdef __IMAGE_SUPPORT__
      *to |= 4;
    #endif
    #if defined(__opencl_c_pipes) || defined(__opencl_c_device_enqueue)
      *to |= 8;
    #endif
    #ifdef cl_khr_depth_images
      *to |= 16;
    #endif
    #if defined(__opencl_c_subgroups) && defined(cl_khr_subgroup_shuffle)
      *to |= 32;
    #endif
    })";
  cl_context context = opencl::clCreateContext(nullptr, 2, both, nullptr, nullptr, nullptr);
  for (const bool in_steps : {false, true}) {
    cl_program program = opencl::clCreateProgramWithSource(context, 1, &macros, nullptr, nullptr);
    if (in_steps) {
      ASSERT_EQ(opencl::clCompileProgram(program, 0, nullptr, "-cl-std=CL3.0", 0, nullptr, nullptr,
                                         nullptr, nullptr),
                CL_SUCCESS);
      cl_program compiled =
          std::exchange(program, opencl::clLinkProgram(context, 0, nullptr, "", 1, &program,
                                                       nullptr, nullptr, nullptr));
      EXPECT_EQ(opencl::clReleaseProgram(compiled), CL_SUCCESS);
    } else {
      ASSERT_EQ(opencl::clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr),
                CL_SUCCESS);
    }
    cl_kernel k = opencl::clCreateKernel(program, "k", nullptr);
    cl_mem to = opencl::clCreateBuffer(context, 0, sizeof(cl_int), nullptr, nullptr);
    set(k, 0, to);
    for (int i : {0, 1}) {
      cl_command_queue queue =
          opencl::clCreateCommandQueueWithProperties(context, both[i], nullptr, nullptr);
      const size_t one = 1;
      cl_int seen = 0;
      EXPECT_EQ(
          opencl::clEnqueueNDRangeKernel(queue, k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
          CL_SUCCESS);
      EXPECT_EQ(opencl::clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof seen, &seen, 0, nullptr,
                                            nullptr),
                CL_SUCCESS);
      EXPECT_EQ(seen, i == 0 ? 55 : 63) << in_steps;
      EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
    }
    EXPECT_EQ(opencl::clReleaseMemObject(to), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseKernel(k), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseProgram(program), CL_SUCCESS);
  }
  EXPECT_EQ(opencl::clReleaseContext(context), CL_SUCCESS);
}

TEST_F(NvidiaDeviceTest, TwoCardsInOneContext) {
  static const cl_device_id second =
      create_object<_cl_device_id>(the_platform(), test::second_fake_device());
  const cl_device_id both[] = {device_, second};
  cl_context context = opencl::clCreateContext(nullptr, 2, both, nullptr, nullptr, nullptr);
  cl_command_queue queues[2];
  for (int i : {0, 1})
    queues[i] = opencl::clCreateCommandQueueWithProperties(context, both[i], nullptr, nullptr);
  cl_program program = opencl::clCreateProgramWithSource(
      context, 1, const_cast<const char **>(&source), nullptr, nullptr);
  ASSERT_EQ(opencl::clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr),
            CL_SUCCESS);
  cl_kernel increase = opencl::clCreateKernel(program, "increase", nullptr);
  Values values(1000);
  cl_mem to = opencl::clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4000, values.data(), nullptr);
  set(increase, 0, to);
  const size_t global = 1000;
  cl_event last = nullptr;
  for (int i = 0; i < 10; ++i) {
    cl_event next = nullptr;
    ASSERT_EQ(opencl::clEnqueueNDRangeKernel(queues[i % 2], increase, 1, nullptr, &global, nullptr,
                                             last ? 1 : 0, last ? &last : nullptr, &next),
              CL_SUCCESS);
    if (last)
      EXPECT_EQ(opencl::clReleaseEvent(last), CL_SUCCESS);
    last = next;
  }
  EXPECT_EQ(opencl::clEnqueueReadBuffer(queues[0], to, CL_TRUE, 0, 4000, values.data(), 1, &last,
                                        nullptr),
            CL_SUCCESS);
  EXPECT_EQ(values, Values(1000, 10));
  EXPECT_EQ(opencl::clReleaseEvent(last), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseMemObject(to), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseKernel(increase), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseProgram(program), CL_SUCCESS);
  for (cl_command_queue queue : queues)
    EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(opencl::clReleaseContext(context), CL_SUCCESS);
}

// The fake device prints 42 by the card's buffer for each CUDA launch.
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
  EXPECT_EQ(count("number 42\n"), 3u) << text;
  EXPECT_EQ(count("number 7\n"), 6u) << text;
}

TEST_F(NvidiaDeviceTest, OutOfMemory) {
  cl_mem to = make(Values(8));
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  fake_memory().group_pools().free_unused(); // of other tests; else they would be freed now
  controls().allocation_status = runtime::cuda::out_of_memory;
  EXPECT_EQ(launch(increase, {8}), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(heard_.have("CUDA_ERROR_OUT_OF_MEMORY")) << heard_.all();
  EXPECT_EQ(launch(increase, {8}), CL_SUCCESS);
  EXPECT_EQ(read(to, 8), Values(8, 1));
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
