// Kernels whose work-items, work-groups and launches wait for each other, and a fixture that
// launches them.
#pragma once

#include "opencl_fixture.h"

#include <string>
#include <vector>

namespace lockstep::test {

inline constexpr const char *waiting_source = R"(
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

kernel void ticket_lock_of_groups(global atomic_uint *tickets, global uint *sum) {
  if (get_local_id(0) == 0) {
    uint mine = atomic_fetch_add_explicit(&tickets[0], 1u, memory_order_relaxed, memory_scope_device);
    while (LOAD(&tickets[1]) != mine)
      ;
    *sum += 1;
    STORE(&tickets[1], mine + 1);
  }
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
    program_ = build(waiting_source, "-cl-std=CL3.0");
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

} // namespace lockstep::test
