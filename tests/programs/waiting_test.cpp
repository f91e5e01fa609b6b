// Tests kernels whose work-items, work-groups and launches wait for each other.
#include "late_notifications.h"
#include "opencl_fixture.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>

namespace lockstep::test {
namespace {

constexpr const char *source = R"(
#define LOAD(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define ADD(p, v) atomic_fetch_add_explicit(p, v, memory_order_acq_rel, memory_scope_device)

kernel void meet(global atomic_uint *arrived, global uint *met) {
  local uint last;
  if (get_local_id(0) == 0) {
    ADD(arrived, 1u);
    uint seen;
    while ((seen = LOAD(arrived)) < get_num_groups(0))
      ;
    last = seen;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  met[get_global_id(0)] = last;
}

kernel void lock(global atomic_uint *taken, global uint *sum) {
  while (atomic_exchange_explicit(taken, 1u, memory_order_acquire, memory_scope_device))
    ;
  *sum += 1;
  STORE(taken, 0u);
}

// As programs of OpenCL 1.x wait.
kernel void old_lock(volatile global uint *taken, global uint *sum) {
  while (atomic_cmpxchg(taken, 0, 1) != 0)
    ;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  *sum += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(taken, 0);
}

// Taken by some of a sub-group, several times, with work before and results after it.
kernel void lock_in_lanes(global atomic_uint *taken, global uint *sum, global uint *out) {
  uint i = get_global_id(0), mine = 0;
  for (uint n = 0; n < i % 7; ++n)
    mine += n * i;
  for (uint times = i % 3; times != 0; --times) {
    while (atomic_exchange_explicit(taken, 1u, memory_order_acquire, memory_scope_device))
      ;
    if (*sum % 2 == 0)
      *sum += 1;
    else
      sum[0] = sum[0] + 1;
    STORE(taken, 0u);
  }
  out[i] = mine;
}

kernel void swap_in_lanes(global atomic_uint *product, global uint *out) {
  uint old = atomic_load_explicit(product, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(product, &old, old * 5u + 1u, memory_order_relaxed,
                                                memory_order_relaxed, memory_scope_device))
    ;
  out[get_global_id(0)] = old;
}

// Each work-item lets the next one have its turn, so no sub-group can wait as one.
kernel void passed_on(global atomic_uint *taken, volatile global uint *turn) {
  bool done = false;
  while (!done) {
    while (atomic_exchange_explicit(taken, 1u, memory_order_acquire, memory_scope_device))
      ;
    if (*turn == get_global_size(0) - 1 - get_global_id(0)) {
      *turn += 1;
      done = true;
    }
    STORE(taken, 0u);
  }
}

kernel void ticket_lock(global atomic_uint *tickets, global uint *sum) {
  uint mine = ADD(&tickets[0], 1u);
  while (LOAD(&tickets[1]) != mine)
    ;
  *sum += 1;
  STORE(&tickets[1], mine + 1);
}

// Each work-item waits for the next one, in its sub-group, its group and the next group.
kernel void from_behind(global atomic_uint *done, global uint *order) {
  uint i = get_global_id(0);
  if (i + 1 < get_global_size(0))
    while (LOAD(&done[i + 1]) == 0)
      ;
  *order += 1;
  STORE(&done[i], *order);
}

// Turns of a group's work-items through local memory, between barriers.
kernel void turns_in_group(global uint *result) {
  local atomic_uint turn;
  local uint values[64];
  const uint me = get_local_id(0), items = get_local_size(0);
  for (uint round = 0; round < 3; ++round) {
    if (me == 0)
      atomic_init(&turn, 0u);
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_load_explicit(&turn, memory_order_acquire, memory_scope_work_group) != items - 1 - me)
      ;
    values[me] = me == items - 1 ? 1 : values[me + 1] + 1;
    atomic_store_explicit(&turn, items - me, memory_order_release, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  result[get_global_id(0)] = values[me];
}

// Waiting and async copies: the copy's wait is a barrier as well.
kernel void copy_then_meet(global const uint *from, global uint *to, global atomic_uint *arrived) {
  local uint block[64];
  event_t copied = async_work_group_copy(block, from + get_group_id(0) * 64, 64, 0);
  wait_group_events(1, &copied);
  if (get_local_id(0) == 0)
    ADD(arrived, 1u);
  while (LOAD(arrived) < get_num_groups(0))
    ;
  block[get_local_id(0)] += LOAD(arrived);
  barrier(CLK_LOCAL_MEM_FENCE);
  copied = async_work_group_copy(to + get_group_id(0) * 64, block, 64, 0);
  wait_group_events(1, &copied);
}

kernel void wait_for_flag(global atomic_uint *flag, global uint *out) {
  while (LOAD(flag) == 0)
    ;
  out[get_global_id(0)] = 1;
}

kernel void set_flag(global atomic_uint *flag) { STORE(flag, 1u); }

// Counts up in turns with another launch.
kernel void ping_pong(global atomic_uint *counter, uint parity, uint rounds) {
  for (uint i = 0; i < rounds; ++i) {
    uint seen;
    while ((seen = LOAD(counter)) % 2 != parity)
      ;
    STORE(counter, seen + 1);
  }
}

// All of a group wait for the next group, and the sub-groups that run its loop at once do it one after the other.
kernel void add_behind_next(global atomic_uint *flags, global uint *out, global const uint *numbers, local uint *sums,
                            uint count) {
  const uint group = get_group_id(0), me = get_local_id(0), items = get_local_size(0);
  uint sum = 0;
  for (uint i = 0; i < count; ++i)
    sum += numbers[group * count * items + i * items + me] * (i + 1);
  uint next = 0;
  if (group + 1 < get_num_groups(0))
    while ((next = LOAD(&flags[group + 1])) == 0)
      ;
  for (uint i = 0; i < count; ++i)
    sum += numbers[group * count * items + i * items + me] * next;
  out[get_global_id(0)] = sums[me] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me == 0)
    STORE(&flags[group], (sums[items - 1] & 7) + 1);
}

kernel void wait_for_ever(global atomic_uint *flag, global uint *out) {
  if (get_local_id(0) == 3)
    while (LOAD(flag + 1) == 0) // this line is in the report
      ;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[0] = 1;
}

global atomic_int door = ATOMIC_VAR_INIT(-3);

kernel void wait_at_door(global uint *out) {
  while (atomic_load_explicit(&door, memory_order_acquire, memory_scope_device) == -3)
    ;
  out[0] = 1;
}

kernel void wait_for_either(global atomic_int *mine, global atomic_uint *hosts, global uint *out) {
  while (LOAD(hosts) == 0 && // the host's
         LOAD(mine) == -1)   // the other
    ;
  out[get_global_id(0)] = 1;
}

// Not dead: it counts.
kernel void count_for_long(global atomic_uint *flag, global uint *out) {
  for (ulong n = 0; n < 1000000000000ul && LOAD(flag) == 0; ++n)
    ;
  out[0] = 1;
}

// Nor is this: the end of the first loop does not depend on the count, but that of the second does.
kernel void count_for_another(global atomic_uint *flag, global uint *out) {
  local atomic_uint go;
  if (get_local_id(0) == 0)
    atomic_init(&go, 0u);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    uint rounds = 0;
    while (LOAD(flag) == 0)
      if (++rounds == 3000000)
        atomic_store_explicit(&go, 1u, memory_order_release, memory_scope_work_group);
  } else {
    while (atomic_load_explicit(&go, memory_order_acquire, memory_scope_work_group) == 0)
      ;
    STORE(flag, 1u);
  }
  out[get_local_id(0)] = 1;
}

// Each round writes what the one before wrote.
kernel void write_for_ever(global atomic_uint *flag, global uint *out) {
  global uint *own = out + get_global_id(0) * 6;
  while (LOAD(flag) == 0)
    for (uint i = 0; i < 6; ++i)
      own[i] = i;
}

// So does this but for one place, and ends.
kernel void write_and_count(global atomic_uint *flag, global uint *out) {
  global uint *own = out + get_global_id(0) * 6;
  while (LOAD(flag) == 0) {
    for (uint i = 0; i < 5; ++i)
      own[i] = i;
    if (++own[5] == 300000)
      STORE(flag, 1u);
  }
}

// Of three elements that are stored as four.
kernel void write_three_for_ever(global atomic_uint *flag, global float3 *out) {
  const float at = get_global_id(0);
  while (LOAD(flag) == 0)
    out[get_global_id(0)] = (float3)(at, at + 1, at + 2);
}

kernel void write_three_and_count(global atomic_uint *flag, global float3 *out) {
  while (LOAD(flag) == 0) {
    float3 of = out[get_global_id(0)];
    of.z += 1;
    out[get_global_id(0)] = of;
    if (of.z == 300000)
      STORE(flag, 1u);
  }
}

// The same by copies that take a while to compare.
struct many { uint of[80]; };

kernel void copy_for_ever(global atomic_uint *flag, global uint *out) {
  const uint id = get_global_id(0);
  global struct many *own = (global struct many *)out + id;
  struct many many;
  for (uint i = 0; i < 80; ++i)
    many.of[i] = i;
  while (LOAD(flag) == 0) {
    many.of[id % 7] = own->of[0] & 0;
    *own = many;
  }
}

kernel void copy_and_count(global atomic_uint *flag, global uint *out) {
  const uint id = get_global_id(0);
  global struct many *own = (global struct many *)out + id;
  struct many many;
  for (uint i = 0; i < 80; ++i)
    many.of[i] = i;
  own->of[id % 7] = 0;
  while (LOAD(flag) == 0) {
    many.of[id % 7] = own->of[id % 7] + 1;
    *own = many;
    if (own->of[id % 7] == 100000)
      STORE(flag, 1u);
  }
}

typedef struct __attribute__((packed)) {
  uchar tag;
  ushort value;
} Odd;

// Each round writes a member that is not aligned, and some write at an address that others do not have.
kernel void write_while_waiting(global atomic_uint *turn, global uint *out, global Odd *odd) {
  const uint me = get_global_id(0);
  global uint *own = me % 3 == 0 ? out + me : 0;
  do {
    odd[me].value = 3;
    if (own)
      *own = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    odd[me].value = 0x1234;
    if (own)
      *own = 2;
  } while (LOAD(turn) != get_global_size(0) - 1 - me);
  ADD(turn, 1u);
}

// No round changes what the one before left.
kernel void write_twice_for_ever(global atomic_uint *flag, global uint *out, global Odd *odd) {
  const uint me = get_global_id(0);
  global uint *own = me % 3 == 0 ? out + me : 0;
  while (LOAD(flag) == 0) {
    odd[me].value = 3;
    if (own)
      *own = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    odd[me].value = 0x1234;
    if (own)
      *own = 2;
  }
}

kernel void barrier_for_some(global atomic_uint *flag, global uint *out) {
  while (LOAD(flag) != 0)
    ;
  if (get_local_id(0) < 128)
    barrier(CLK_LOCAL_MEM_FENCE); // and this one
  out[get_global_id(0)] = 1;
}

kernel void plain(global uint *out) { out[get_global_id(0)] = 7; }
)";

class Waiting : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!device_)
      return;
    program_ = build(source, "-cl-std=CL3.0");
    counters_ = make_buffer(1 << 20);
    fill(counters_, 1 << 20);
    out_ = make_buffer(1 << 22);
    fill(out_, 1 << 22);
  }
  void fill(cl_mem buffer, size_t bytes) {
    const cl_uint zero = 0;
    EXPECT_EQ(clEnqueueFillBuffer(queue_, buffer, &zero, 4, 0, bytes, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  Event launch(cl_command_queue queue, const char *name, std::vector<cl_mem> buffers, size_t items,
               size_t local, std::vector<cl_uint> values = {}) {
    Kernel kernel = make_kernel(program_, name);
    cl_uint at = 0;
    for (cl_mem buffer : buffers)
      EXPECT_EQ(clSetKernelArg(kernel, at++, sizeof buffer, &buffer), CL_SUCCESS);
    for (cl_uint value : values)
      EXPECT_EQ(clSetKernelArg(kernel, at++, sizeof value, &value), CL_SUCCESS);
    Event event;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &local, 0, nullptr, event.out()),
        CL_SUCCESS);
    EXPECT_EQ(clFlush(queue), CL_SUCCESS);
    return event;
  }
  cl_int end(const Event &event) {
    cl_event handle = event;
    clWaitForEvents(1, &handle);
    return status_of(event);
  }

  Program program_;
  Memory counters_, out_;
};

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

unsigned line_of(const char *comment) {
  const std::string text = source;
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
    program_ = build(source, "-cl-std=CL3.0");
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
