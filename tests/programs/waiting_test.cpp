// Tests kernels whose work-items, work-groups and launches wait for each other.
#include "waiting_fixture.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::test {
namespace {

TEST_F(Waiting, AllGroupsMeet) {
  for (size_t groups : {1, 2, 3, 100, 10'000}) {
    fill(counters_, 4);
    ASSERT_EQ(end(launch(queue_, "meet", {counters_, out_}, groups * 16, 16)), CL_COMPLETE);
    EXPECT_EQ(read<cl_uint>(out_, groups * 16), std::vector<cl_uint>(groups * 16, cl_uint(groups)));
  }
}

TEST_F(Waiting, LocksAreTakenByEveryWorkItem) {
  for (const char *kernel : {"lock", "old_lock", "ticket_lock"})
    for (size_t local : {1, 8, 16, 48}) {
      fill(counters_, 8);
      fill(out_, 4);
      ASSERT_EQ(end(launch(queue_, kernel, {counters_, out_}, 4800, local)), CL_COMPLETE) << kernel;
      EXPECT_EQ(read<cl_uint>(out_, 1)[0], 4800u) << kernel << " in groups of " << local;
    }
}

// Halves the number of work-items until no work-item of the lower half sees the value that one of
// the upper half stores meanwhile. Those work-items run in lockstep. Without a required sub-group
// size none do (docs/forward_progress.md).
const char *const probe = R"(
  kernel void probe(int rounds, global int *out) {
    local volatile int flag;
    int index = get_global_id(0), total = get_global_size(0);
    do {
      int half_index = total / 2;
      if (index == 0) flag = 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (index < half_index) {
        for (int i = 0; i < rounds; i++) if (flag == -1) break;
        if (flag != -1 && index == 0) { *out = total; flag = 2; }
      } else if (index == half_index && flag != 2) flag = -1;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (flag == 2) break;
      total /= 2;
    } while (total > 0);
  })";

TEST_F(Waiting, LanesOfARequiredSubGroupPollInStep) {
  for (size_t size : {size_t{0}, size_t{8}, size_t{16}}) {
    if (size != 0 && !has_sub_group_size(size))
      continue;
    const std::string source =
        (size ? "__attribute__((intel_reqd_sub_group_size(" + std::to_string(size) + ")))" : "") +
        std::string(probe);
    Program program = build(source.c_str());
    Kernel kernel = make_kernel(program, "probe");
    fill(out_, 4);
    const cl_int rounds = 2000;
    cl_mem out = out_;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof rounds, &rounds), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof out, &out), CL_SUCCESS);
    const size_t items = 64;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &items, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(read<cl_uint>(out_, 1)[0], size) << "sub-groups of " << size;
  }
}

// Each group of 16 adds to the counter of its parent as its last effect, and parents wait for 16. Groups
// also count themselves in one counter for all, for which the last one waits.
const char *const sums = R"(
  kernel void sum(global uint *sums, global atomic_uint *arrived, uint leaves, uint order) {
    local uint part[16];
    uint me = get_local_id(0), n = get_num_groups(0), group = get_group_id(0);
    if (order == 1) group = n - 1 - group;
    if (order == 2) group = group * 7919u % n;
    if (group < leaves)
      part[me] = group + me;
    else {
      if (me == 0)
        while (atomic_load_explicit(&arrived[group - leaves], memory_order_acquire, memory_scope_device) != 16)
          ;
      barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
      part[me] = sums[(group - leaves) * 16 + me];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 8; s > 0; s /= 2) {
      if (me < s) part[me] += part[me + s];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0) {
      sums[group] = part[0];
      if (group + 1 < n)
        atomic_fetch_add_explicit(&arrived[group / 16], 1u, memory_order_release, memory_scope_device);
    }
  }
  kernel void count(global uint *out, global atomic_uint *arrived, uint leaves, uint order) {
    uint n = get_num_groups(0), group = get_group_id(0);
    if (order == 1) group = n - 1 - group;
    if (order == 2) group = group * 7919u % n;
    if (group + 1 < n) {
      if (get_local_id(0) == 0) {
        out[group] = group;
        atomic_fetch_sub_explicit(arrived, 3u, memory_order_release, memory_scope_device);
      }
    } else {
      if (get_local_id(0) == 0)
        while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) != 0u - 3 * (n - 1))
          ;
      barrier(CLK_GLOBAL_MEM_FENCE);
      uint sum = 0;
      for (uint i = get_local_id(0); i + 1 < n; i += 16) sum += out[i];
      sum = work_group_reduce_add(sum);
      if (get_local_id(0) == 0) out[group] = sum;
    }
  })";

TEST_F(Waiting, GroupsEndWithAnAdditionThatOthersWaitFor) {
  Program program = build(sums, "-cl-std=CL3.0");
  for (const char *name : {"sum", "count"})
    for (cl_uint leaves : {16U, 256U, 4'096U, 65'536U})
      for (cl_uint order : {0U, 1U, 2U}) {
        const cl_uint groups = leaves + leaves / 16 + leaves / 256 + leaves / 4096 + leaves / 65536;
        Memory numbers = make_buffer(4 * groups), arrived = make_buffer(4 * groups);
        fill(numbers, 4 * groups);
        fill(arrived, 4 * groups);
        Kernel kernel = make_kernel(program, name);
        cl_mem buffers[] = {numbers, arrived};
        for (cl_uint i = 0; i < 2; ++i)
          ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
        ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof leaves, &leaves), CL_SUCCESS);
        ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof order, &order), CL_SUCCESS);
        const size_t local = 16, items = local * groups;
        ASSERT_EQ(
            clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
        cl_uint expected = 0; // modulo 2^32
        if (std::string(name) == "sum")
          for (cl_uint i = 0; i < leaves; ++i)
            expected += 16 * i + 120;
        else
          for (cl_uint i = 0; i + 1 < groups; ++i)
            expected += i;
        EXPECT_EQ(read<cl_uint>(numbers, groups).back(), expected)
            << name << " of " << leaves << " groups in order " << order;
      }
}

// Each of many groups waits for its own ticket. If a worker does not find the group whose turn it
// is by the address that another one has written, a launch can take a pass over all groups for each
// ticket: seconds instead of milliseconds.
TEST_F(Waiting, ManyGroupsTakeTurnsInABoundedTime) {
  constexpr cl_uint groups = 65'536, launches = 12;
  const auto begin = std::chrono::steady_clock::now();
  for (cl_uint i = 0; i < launches; ++i) {
    fill(counters_, 8);
    fill(out_, 4);
    ASSERT_EQ(end(launch(queue_, "ticket_lock_of_groups", {counters_, out_}, groups * 16, 16)),
              CL_COMPLETE);
    ASSERT_EQ(read<cl_uint>(out_, 1)[0], groups);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

// The last group of a launch has fewer work-items, and so has its last sub-group.
TEST_F(Waiting, LanesTakeALockOneAfterTheOther) {
  for (size_t items : {1, 15, 100, 4801})
    for (size_t local : {1, 16, 24, 64}) {
      fill(counters_, 4);
      fill(out_, 4);
      Memory results = make_buffer(items * 4);
      ASSERT_EQ(end(launch(queue_, "lock_in_lanes", {counters_, out_, results}, items, local)),
                CL_COMPLETE);
      cl_uint takes = 0;
      std::vector<cl_uint> expected(items);
      for (cl_uint i = 0; i < items; ++i) {
        takes += i % 3;
        for (cl_uint n = 0; n < i % 7; ++n)
          expected[i] += n * i;
      }
      EXPECT_EQ(read<cl_uint>(out_, 1)[0], takes) << items << " in groups of " << local;
      EXPECT_EQ(read<cl_uint>(results, items), expected) << items << " in groups of " << local;
    }
}

TEST_F(Waiting, SubGroupsThatRunAtOnceWaitOneAfterTheOther) {
  constexpr size_t local = 128, groups = 100, items = local * groups;
  std::vector<cl_uint> numbers(8 * items), expected(items);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = cl_uint(i * 2654435761U >> 20);
  cl_uint next = 0;
  for (size_t group = groups; group-- > 0;) {
    for (size_t me = 0; me < local; ++me)
      for (size_t i = 0; i < 8; ++i)
        expected[group * local + me] +=
            numbers[group * 8 * local + i * local + me] * cl_uint(i + 1 + next);
    next = (expected[group * local + local - 1] & 7) + 1;
  }
  Memory in = make_buffer(numbers.size() * 4, CL_MEM_COPY_HOST_PTR, numbers.data());
  Kernel kernel = make_kernel(program_, "add_behind_next");
  cl_mem buffers[] = {counters_, out_, in};
  for (cl_uint i = 0; i < 3; ++i)
    ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
  const cl_uint count = 8;
  ASSERT_EQ(clSetKernelArg(kernel, 3, local * 4, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 4, sizeof count, &count), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<cl_uint>(out_, items), expected);
}

TEST_F(Waiting, LanesSwapOneAfterTheOther) {
  for (size_t items : {1, 15, 100, 4801})
    for (size_t local : {1, 16, 24, 64}) {
      fill(counters_, 4);
      ASSERT_EQ(end(launch(queue_, "swap_in_lanes", {counters_, out_}, items, local)), CL_COMPLETE);
      std::vector<cl_uint> seen = read<cl_uint>(out_, items), expected;
      cl_uint value = 0;
      for (size_t i = 0; i < items; ++i) {
        expected.push_back(value);
        value = value * 5 + 1;
      }
      std::sort(seen.begin(), seen.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(seen, expected) << items << " in groups of " << local;
      EXPECT_EQ(read<cl_uint>(counters_, 1)[0], value) << items << " in groups of " << local;
    }
}

TEST_F(Waiting, WhoHasTheLockMayHaveToWaitForAnotherLane) {
  for (size_t local : {1, 16, 64}) {
    fill(counters_, 4);
    fill(out_, 4);
    ASSERT_EQ(end(launch(queue_, "passed_on", {counters_, out_}, 128, local)), CL_COMPLETE);
    EXPECT_EQ(read<cl_uint>(out_, 1)[0], 128u);
  }
}

TEST_F(Waiting, WorkItemsWaitForLaterOnes) {
  for (size_t local : {1, 4, 64, 100}) {
    fill(counters_, 4 * 800);
    fill(out_, 4);
    ASSERT_EQ(end(launch(queue_, "from_behind", {counters_, out_}, 800, local)), CL_COMPLETE);
    std::vector<cl_uint> expected(800);
    std::iota(expected.rbegin(), expected.rend(), 1u);
    EXPECT_EQ(read<cl_uint>(counters_, 800), expected);
  }
}

TEST_F(Waiting, WorkItemsOfAGroupTakeTurns) {
  for (size_t local : {1, 7, 16, 64}) {
    ASSERT_EQ(end(launch(queue_, "turns_in_group", {out_}, local * 50, local)), CL_COMPLETE);
    std::vector<cl_uint> result = read<cl_uint>(out_, local * 50);
    for (size_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(result[i], local - i % local);
  }
}

TEST_F(Waiting, AsyncCopiesWorkBesideWaits) {
  const size_t groups = 500, items = groups * 64;
  std::vector<cl_uint> values(items);
  std::iota(values.begin(), values.end(), 3u);
  Memory from = make_buffer(items * 4);
  write(from, values);
  ASSERT_EQ(end(launch(queue_, "copy_then_meet", {from, out_, counters_}, items, 64)), CL_COMPLETE);
  for (cl_uint &value : values)
    value += groups;
  EXPECT_EQ(read<cl_uint>(out_, items), values);
}

TEST_F(Waiting, LaunchesInTwoQueuesWaitForEachOther) {
  Queue second = make_queue(0);
  Event ping = launch(queue_, "ping_pong", {counters_}, 1, 1, {0, 1000});
  Event pong = launch(second, "ping_pong", {counters_}, 1, 1, {1, 1000});
  EXPECT_EQ(end(ping), CL_COMPLETE);
  EXPECT_EQ(end(pong), CL_COMPLETE);
  EXPECT_EQ(read<cl_uint>(counters_, 1)[0], 2000u);
}

TEST_F(Waiting, LaunchesInAnOutOfOrderQueueWaitForEachOther) {
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event waiting = launch(queue, "wait_for_flag", {counters_, out_}, 1000, 10);
  Event setting = launch(queue, "set_flag", {counters_}, 1, 1);
  EXPECT_EQ(end(waiting), CL_COMPLETE);
  EXPECT_EQ(read<cl_uint>(out_, 1000), std::vector<cl_uint>(1000, 1));
}

TEST_F(Waiting, OtherCommandsRunMeanwhile) {
  Queue second = make_queue(0);
  Event waiting = launch(queue_, "wait_for_flag", {counters_, out_}, 1000, 10);
  Memory other = make_buffer(4000);
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(end(launch(second, "plain", {other}, 1000, 10)), CL_COMPLETE);
  EXPECT_GT(status_of(waiting), CL_COMPLETE);
  const cl_uint one = 1; // a command may end the wait
  EXPECT_EQ(clEnqueueWriteBuffer(second, counters_, CL_TRUE, 0, 4, &one, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(end(waiting), CL_COMPLETE);
}

TEST_F(Waiting, AUserEventMayReleaseWhatTheyWaitFor) {
  Queue second = make_queue(0);
  Event user = make_user_event();
  cl_event list[] = {user};
  Event waiting = launch(queue_, "wait_for_flag", {counters_, out_}, 100, 10);
  const cl_uint one = 1;
  ASSERT_EQ(clEnqueueWriteBuffer(second, counters_, CL_FALSE, 0, 4, &one, 1, list, nullptr),
            CL_SUCCESS);
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    clSetUserEventStatus(user, CL_COMPLETE);
  });
  EXPECT_EQ(end(waiting), CL_COMPLETE);
  host.join();
  EXPECT_EQ(clFinish(second), CL_SUCCESS);
}

TEST_F(Waiting, TheHostMayReleaseWhatTheyWaitFor) {
  if (!(device_info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES) &
        CL_DEVICE_SVM_FINE_GRAIN_SYSTEM))
    GTEST_SKIP() << "the device and the host do not share memory while a kernel runs";
  auto *shared = static_cast<std::atomic<cl_uint> *>(std::aligned_alloc(4096, 4096));
  *shared = 0;
  {
    Memory flag = make_buffer(4096, CL_MEM_USE_HOST_PTR, shared);
    Event waiting = launch(queue_, "wait_for_flag", {flag, out_}, 100, 10);
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      *shared = 1;
    });
    EXPECT_EQ(end(waiting), CL_COMPLETE);
    host.join();
  }
  std::free(shared);
}

} // namespace
} // namespace lockstep::test
