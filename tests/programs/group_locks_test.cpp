// Work-items wait for others of their work-group through atomics with work-group scope: in local
// memory, in global memory and through generic pointers. These atomics compile to instructions
// without a lock prefix. That is correct because one thread at a time runs a group.
#include "opencl_fixture.h"

#include <vector>

using namespace lockstep::test;

namespace {

const char *const source = R"(
#define GROUP memory_scope_work_group

// Each work-item adds to plain memory under the lock, three times.
#define UNDER_LOCK(take, give) \
  for (int i = 0; i < 3; ++i) { take; uint before = *sum; *sum = before + get_local_id(0) + 1; give; }

void spin(generic atomic_uint *lock, generic uint *sum) {
  UNDER_LOCK(while (atomic_exchange_explicit(lock, 1, memory_order_acquire, GROUP)),
             atomic_store_explicit(lock, 0, memory_order_release, GROUP))
}
void swap(generic atomic_uint *lock, generic uint *sum) {
  uint expected;
  UNDER_LOCK(do expected = 0; while (!atomic_compare_exchange_weak_explicit(lock, &expected, 7,
               memory_order_acquire, memory_order_relaxed, GROUP)),
             atomic_fetch_sub_explicit(lock, 7, memory_order_release, GROUP))
}
void tickets(generic atomic_uint *lock, generic uint *sum) {
  UNDER_LOCK(uint mine = atomic_fetch_add_explicit(lock, 1, memory_order_relaxed, GROUP) % 65536;
             while (atomic_load_explicit(lock, memory_order_acquire, GROUP) / 65536 != mine),
             atomic_fetch_add_explicit(lock, 65536, memory_order_release, GROUP))
}
#define KERNEL(kind) \
  kernel void kind##_local(global atomic_uint *locks, global uint *sums) { \
    local atomic_uint lock; \
    local uint sum; /* a lock in local memory orders local memory only */ \
    if (get_local_id(0) == 0) { atomic_init(&lock, 0u); sum = 0; } \
    barrier(CLK_LOCAL_MEM_FENCE); \
    kind(&lock, &sum); \
    barrier(CLK_LOCAL_MEM_FENCE); \
    sums[get_group_id(0)] = sum; \
  } \
  kernel void kind##_global(global atomic_uint *locks, global uint *sums) { \
    kind(locks + get_group_id(0), sums + get_group_id(0)); \
  }
KERNEL(spin) KERNEL(swap) KERNEL(tickets)

// The last work-item begins. Who polls by an update reads what others have written meanwhile.
kernel void polls_by_update(global atomic_uint *turns, global uint *sums) {
  global atomic_uint *turn = turns + get_group_id(0);
  const uint behind_me = get_local_size(0) - 1 - get_local_id(0);
  while (atomic_fetch_or_explicit(turn, 0, memory_order_acquire, GROUP) != behind_me) ;
  sums[get_global_id(0)] = behind_me == 0 ? 1 : sums[get_global_id(0) + 1] + 1;
  atomic_fetch_add_explicit(turn, 1, memory_order_release, GROUP);
}

// Plain data behind a relaxed flag and fences, from the next work-item.
kernel void messages(global atomic_uint *unused, global uint *sums) {
  local atomic_uint flags[64];
  local uint data[64];
  const uint me = get_local_id(0), next = (me + 1) % get_local_size(0);
  atomic_store_explicit(&flags[me], 0, memory_order_seq_cst, GROUP);
  barrier(CLK_LOCAL_MEM_FENCE);
  data[me] = get_global_id(0) * 3;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, GROUP);
  atomic_store_explicit(&flags[me], 1, memory_order_relaxed, GROUP);
  while (atomic_load_explicit(&flags[next], memory_order_relaxed, GROUP) == 0) ;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, GROUP);
  sums[get_global_id(0)] = data[next];
}

// Never given back.
kernel void takes_twice(global atomic_uint *locks, global uint *sums) {
  global atomic_uint *lock = locks + get_group_id(0);
  while (atomic_exchange_explicit(lock, 1, memory_order_acquire, GROUP)) ;
  sums[get_group_id(0)] = get_local_id(0);
}
)";

class GroupLocks : public DeviceTest {
protected:
  static constexpr size_t groups = 300;

  void SetUp() override {
    DeviceTest::SetUp();
    program_ = build(source, "-cl-std=CL3.0");
    locks_ = make_buffer(groups * 4);
    sums_ = make_buffer(groups * 64 * 4);
  }

  // Clears both buffers, runs the kernel and returns the launch's status.
  cl_int run(const char *name, size_t local) {
    write(locks_, std::vector<cl_uint>(groups));
    write(sums_, std::vector<cl_uint>(groups * 64));
    Kernel kernel = make_kernel(program_, name);
    cl_mem arguments[] = {locks_, sums_};
    for (cl_uint i = 0; i < 2; ++i)
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
    const size_t global = groups * local;
    Event event;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr,
                                     event.out()),
              CL_SUCCESS);
    const cl_event wanted = event;
    clWaitForEvents(1, &wanted); // returns an error if the launch failed
    cl_int status = CL_QUEUED;
    EXPECT_EQ(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        CL_SUCCESS);
    return status;
  }

  Program program_;
  Memory locks_, sums_;
};

TEST_F(GroupLocks, KeepWorkItemsApart) {
  for (size_t local : {1, 7, 16, 64})
    for (const char *kernel : {"spin_local", "spin_global", "swap_local", "swap_global",
                               "tickets_local", "tickets_global"}) {
      ASSERT_EQ(run(kernel, local), CL_COMPLETE) << kernel;
      for (cl_uint sum : read<cl_uint>(sums_, groups))
        ASSERT_EQ(sum, 3 * local * (local + 1) / 2) << kernel << ", local size " << local;
    }
}

TEST_F(GroupLocks, PollingByAnUpdateSeesTheOthers) {
  for (size_t local : {1, 7, 16, 64}) {
    ASSERT_EQ(run("polls_by_update", local), CL_COMPLETE);
    const std::vector<cl_uint> result = read<cl_uint>(sums_, groups * local);
    for (size_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(result[i], local - i % local) << "local size " << local;
  }
}

TEST_F(GroupLocks, PlainDataArrivesBehindItsFlag) {
  for (size_t local : {1, 7, 16, 64}) {
    ASSERT_EQ(run("messages", local), CL_COMPLETE);
    const std::vector<cl_uint> result = read<cl_uint>(sums_, groups * local);
    for (size_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(result[i], 3 * (i - i % local + (i + 1) % local)) << "local size " << local;
  }
}

TEST_F(GroupLocks, TakenTwiceIsADeadlock) {
  EXPECT_EQ(run("takes_twice", 1), CL_COMPLETE);
  EXPECT_EQ(run("takes_twice", 16), CL_OUT_OF_RESOURCES);
}

} // namespace
