// Kernels that write while they wait, two of each kind. The first leaves memory unchanged by each
// iteration: if no work-item ends its loop, it is a deadlock and Lockstep ends the launch. The
// second counts in the same way and ends its loop itself: it is no deadlock. A second run keeps
// functions out of line (LOCKSTEP_INLINE_LIMIT=0, CMakeLists.txt).
#include "opencl_fixture.h"

#include <string>

namespace lockstep::test {
namespace {

// `own` points to 64 words of the work-item.
constexpr const char *head = R"(
#define LOAD(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define RELAXED memory_order_relaxed, memory_scope_device
#define W1(k) ((volatile global uint *)own)[(k) % 40] = (k);
#define W5(k) W1(k) W1(k + 1) W1(k + 2) W1(k + 3) W1(k + 4)
#define W25(k) W5(k) W5(k + 5) W5(k + 10) W5(k + 15) W5(k + 20)
#define W300 W25(0) W25(25) W25(50) W25(75) W25(100) W25(125) W25(150) W25(175) W25(200) W25(225) W25(250) W25(275)
#define ROUNDS 5000
#define END(count) if ((count) >= ROUNDS) STORE(flag, 1u)

struct state { uint of[8]; uint total; };

void add_up(struct state *state, global uint *own, uint by) {
  for (uint k = 0; k < 8; ++k)
    state->of[k] = by;
  for (uint k = 0; k < 60; ++k) {
    state->of[k * 5 % 8] += k;
    own[k % 9] = 0;
  }
  for (uint k = 0; k < 60; ++k)
    own[k % 9] += state->of[k % 8];
}

void add_up_and_count(struct state *state, global uint *own, uint by) {
  add_up(state, own, by);
  own[20] += by;
}

void count_apart(struct state *state, uint by) {
  for (uint k = 0; k < 8; ++k)
    state->of[k] = by;
  state->total += by;
}

#define KERNEL(name, before, round)                                                                \
  kernel void name(global atomic_uint *flag, global uint *out) {                                   \
    const uint me = get_global_id(0);                                                              \
    global uint *own = out + me * 64;                                                              \
    before;                                                                                        \
    while (LOAD(flag) == 0) { round; }                                                             \
    own[63] = 1;                                                                                   \
  }

KERNEL(many_stores_same, , W300)
KERNEL(many_stores_count, , W300; ++own[50]; END(own[50]))
KERNEL(cleared_and_summed_same, , for (uint k = 0; k < 40; ++k) own[k] = 0;
       for (uint k = 0; k < 80; ++k) own[k % 40] += k)
KERNEL(cleared_and_summed_count, , for (uint k = 0; k < 40; ++k) own[k] = 0;
       for (uint k = 0; k < 80; ++k) own[k % 40] += k; own[40 + own[3] % 7] += 1;
       END(own[40 + own[3] % 7]))
KERNEL(functions_same, struct state s = {}, add_up(&s, own, me))
KERNEL(functions_count, struct state s = {}, add_up_and_count(&s, own, 1); END(own[20]))
KERNEL(functions_undone_same, struct state s = {}, add_up(&s, own, me); own[me % 7] = 3; s.of[me % 8] = 7)
KERNEL(private_functions_count, struct state s = {}, count_apart(&s, 1); END(s.total))
KERNEL(private_functions_same, struct state s = {}, count_apart(&s, me == 12345); own[1] = s.total)
KERNEL(floats_same, global atomic_float *f = (global atomic_float *)own,
       atomic_fetch_add_explicit(f + me % 5, 0.0f, RELAXED);
       atomic_fetch_max_explicit(f + 7 + me % 5, 3.5f, RELAXED))
KERNEL(floats_count, global atomic_float *f = (global atomic_float *)own,
       END(atomic_fetch_add_explicit(f + me % 5, 1.0f, RELAXED)))
KERNEL(floats_undone_same, global atomic_float *f = (global atomic_float *)own,
       for (uint k = 0; k < 9; ++k) { atomic_fetch_add_explicit(f + k * k % 13, 2.5f, RELAXED);
                                      atomic_fetch_sub_explicit(f + k * k % 13, 2.5f, RELAXED); })
KERNEL(floats_undone_count, global atomic_float *f = (global atomic_float *)own,
       for (uint k = 0; k < 9; ++k) { atomic_fetch_add_explicit(f + k, 2.5f, RELAXED);
                                      atomic_fetch_sub_explicit(f + k, k == 8 ? 1.5f : 2.5f, RELAXED); }
       END(as_float(own[8])))
KERNEL(locks_of_many_same, global atomic_uint *lock = (global atomic_uint *)own,
       for (uint k = 0; k < 5 + me % 4; ++k) if (atomic_exchange(&lock[k], 1u) == 0) STORE(&lock[k], 0u))
KERNEL(locks_of_many_count, global atomic_uint *lock = (global atomic_uint *)own,
       for (uint k = 0; k < 5 + me % 4; ++k) if (atomic_exchange(&lock[k], 1u) == 0) { ++own[30]; STORE(&lock[k], 0u); }
       END(own[30]))

// All work-items of a group look in the same rounds.
#define GROUP_KERNEL(name, round)                                                                  \
  kernel void name(global atomic_uint *flag, global uint *out) {                                   \
    local uint block[64], told;                                                                    \
    const uint me = get_local_id(0);                                                               \
    global uint *own = out + get_group_id(0) * get_local_size(0) * 64;                             \
    uint last;                                                                                     \
    event_t copied;                                                                                \
    if (me == 0)                                                                                   \
      for (uint k = 0; k < 64; ++k)                                                                \
        block[k] = k < 32 ? 0 : k;                                                                 \
    do {                                                                                           \
      if (me == 0)                                                                                 \
        told = LOAD(flag);                                                                         \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                \
      round;                                                                                       \
      last = told;                                                                                 \
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                         \
    } while (last == 0);                                                                           \
    if (me == 0)                                                                                   \
      own[63] = 1;                                                                                 \
  }

GROUP_KERNEL(group_copies_same, if (me == 0) block[3] = 1; barrier(CLK_LOCAL_MEM_FENCE);
             copied = async_work_group_copy(own, block, 60, 0); wait_group_events(1, &copied);
             if (me == 0) block[3] = 2)
GROUP_KERNEL(group_copies_count, copied = async_work_group_copy(block, own, 60, 0); wait_group_events(1, &copied);
             if (me == 0) block[3] += 1; barrier(CLK_LOCAL_MEM_FENCE);
             copied = async_work_group_copy(own, block, 60, 0); wait_group_events(1, &copied);
             if (me == 0) { END(block[3]); })
GROUP_KERNEL(strided_copies_same, if (me == 0) block[3] = 1; barrier(CLK_LOCAL_MEM_FENCE);
             copied = async_work_group_strided_copy(own, block, 20, 3, 0); wait_group_events(1, &copied);
             if (me == 0) block[3] = 2)
GROUP_KERNEL(copies_of_lines_same, if (me == 0) block[3] = 1; barrier(CLK_LOCAL_MEM_FENCE);
             copied = async_work_group_copy_2D2D(own, 1, block, 2, 4, 3, 5, 9, 7, 0); wait_group_events(1, &copied);
             if (me == 0) block[3] = 2)
GROUP_KERNEL(copies_of_lines_count, if (me == 0) block[11] += 1; barrier(CLK_LOCAL_MEM_FENCE);
             copied = async_work_group_copy_2D2D(own, 1, block, 2, 4, 3, 5, 9, 7, 0); wait_group_events(1, &copied);
             if (me == 0) { END(own[8]); })
)";

class WaitingWrites : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (device_)
      program_ = build(head, "-cl-std=CL3.0");
  }
  // Runs the kernel and returns the launch's status.
  cl_int run(const std::string &name, size_t items, size_t local) {
    const cl_uint zero = 0;
    Memory flag = make_buffer(64), out = make_buffer(items * 256);
    EXPECT_EQ(clEnqueueFillBuffer(queue_, flag, &zero, 4, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueFillBuffer(queue_, out, &zero, 4, 0, items * 256, 0, nullptr, nullptr),
              CL_SUCCESS);
    Kernel kernel = make_kernel(program_, name.c_str());
    const cl_mem buffers[] = {flag, out};
    for (cl_uint at : {0, 1})
      EXPECT_EQ(clSetKernelArg(kernel, at, sizeof(cl_mem), &buffers[at]), CL_SUCCESS);
    Event event;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, event.out()),
        CL_SUCCESS);
    cl_event handle = event;
    clWaitForEvents(1, &handle);
    return status_of(event);
  }
  void end_by_verdict(const std::string &name) {
    for (size_t local : {1, 20})
      EXPECT_EQ(run(name, 40, local), CL_OUT_OF_RESOURCES) << name << " in groups of " << local;
  }
  void end_by_themselves(const std::string &name) {
    for (size_t local : {1, 20})
      EXPECT_EQ(run(name, 40, local), CL_COMPLETE) << name << " in groups of " << local;
  }

  Program program_;
};

TEST_F(WaitingWrites, ManyStores) {
  end_by_verdict("many_stores_same");
  end_by_themselves("many_stores_count");
}

TEST_F(WaitingWrites, WhatTheRoundItselfClears) {
  end_by_verdict("cleared_and_summed_same");
  end_by_themselves("cleared_and_summed_count");
}

TEST_F(WaitingWrites, FunctionsThatMayBeKept) {
  end_by_verdict("functions_same");
  end_by_verdict("functions_undone_same");
  end_by_themselves("functions_count");
}

TEST_F(WaitingWrites, FunctionsThatWritePrivateMemory) {
  end_by_verdict("private_functions_same");
  end_by_themselves("private_functions_count");
}

TEST_F(WaitingWrites, AtomicsOfFloats) {
  end_by_verdict("floats_same");
  end_by_themselves("floats_count");
}

TEST_F(WaitingWrites, WhatIsUndoneInFloats) {
  end_by_verdict("floats_undone_same");
  end_by_themselves("floats_undone_count");
}

TEST_F(WaitingWrites, LocksThatAreTakenAndGivenBack) {
  end_by_verdict("locks_of_many_same");
  end_by_themselves("locks_of_many_count");
}

TEST_F(WaitingWrites, CopiesOfAGroup) {
  end_by_verdict("group_copies_same");
  end_by_themselves("group_copies_count");
  end_by_verdict("strided_copies_same");
}

TEST_F(WaitingWrites, CopiesOfLinesByAGroup) {
  end_by_verdict("copies_of_lines_same");
  end_by_themselves("copies_of_lines_count");
}

} // namespace
} // namespace lockstep::test
