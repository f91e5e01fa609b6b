// Compiles kernels that wait and runs their sub-groups in turn on one thread, where the loop form
// would hang.
#include "driver/round_robin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <numeric>

namespace lockstep::compiler {
namespace {

using testing::Each;
using testing::HasSubstr;

struct Compiled {
  std::shared_ptr<ProgramCode> program;
  std::shared_ptr<const KernelCode> code;
  uint64_t local_memory_size = 0;
};

const bool environment_is_set = [] { // before anything is compiled
  return setenv("LOCKSTEP_CACHE", "0", 1) == 0;
}();

CodeOptions sixteen_lanes() {
  CodeOptions options = code_options_of_process();
  options.lanes = true;
  options.sub_group_size = 16;
  options.form = WantedForm::by_waits;
  options.verify = true;
  return options;
}

Compiled compile(const std::string &source, uint32_t local_size,
                 const std::string &options = "-cl-std=CL3.0") {
  std::string log;
  auto module = build_opencl_c(source, options, log);
  EXPECT_TRUE(module) << log;
  Compiled compiled;
  auto kept = std::make_shared<const KernelModule>(std::move(*module));
  compiled.local_memory_size = kept->kernels[0].local_memory_size;
  auto program = ProgramCode::create(kept, sixteen_lanes());
  EXPECT_TRUE(program);
  compiled.program = *program;
  auto code = compiled.program->kernel(kept->kernels[0].name,
                                       {{local_size, local_size != 0, local_size != 0}});
  EXPECT_TRUE(code) << (code ? "" : code.error().message);
  compiled.code = *code;
  return compiled;
}

class Resumable : public testing::TestWithParam<bool> {
protected:
  // Tests both the code for one local size and the code for any local size.
  uint32_t specialized(uint32_t local_size) const { return GetParam() ? local_size : 0; }
};

INSTANTIATE_TEST_SUITE_P(, Resumable, testing::Bool(), [](auto &information) {
  return information.param ? "OneLocalSize" : "AnyLocalSize";
});

TEST_P(Resumable, SpinLockBetweenWorkItemsOfOneGroup) {
  auto kernel = compile(R"(
    kernel void count(global int *lock, global int *counter) {
      while (atomic_xchg(lock, 1) != 0) ;
      int before = *(volatile global int *)counter;
      *(volatile global int *)counter = before + 1;
      atomic_xchg(lock, 0);
    })",
                        specialized(64));
  ASSERT_TRUE(kernel.code->is_resumable());
  EXPECT_NE(kernel.code->sub_group_size, 1u); // lanes take the lock one at a time
  int lock = 0, counter = 0;
  void *args[] = {&lock, &counter};
  RoundRobin launch(*kernel.code, 4, 64, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(10000));
  EXPECT_EQ(counter, 256);
}

TEST_P(Resumable, LockWithinAFunctionAndABackOff) {
  auto kernel = compile(R"(
    void acquire(global atomic_int *lock) {
      int delay = 1;
      while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device)) {
        for (volatile int i = 0; i < delay; ++i) ;
        delay = min(delay * 2, 64);
      }
    }
    void release(global atomic_int *lock) {
      atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
    kernel void count(global atomic_int *lock, global int *counter) {
      for (int times = 0; times < 3; ++times) {
        acquire(lock);
        int before = *(volatile global int *)counter;
        *(volatile global int *)counter = before + 1;
        release(lock);
      }
    })",
                        specialized(20));
  ASSERT_TRUE(kernel.code->is_resumable());
  int lock = 0, counter = 0;
  void *args[] = {&lock, &counter};
  RoundRobin launch(*kernel.code, 3, 20, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(10000));
  EXPECT_EQ(counter, 180);
}

TEST_P(Resumable, TicketsAreServedInOrder) {
  auto kernel = compile(R"(
    kernel void serve(global uint *ticket, volatile global uint *serving, global uint *order) {
      uint mine = atomic_inc(ticket);
      while (*serving != mine) ;
      order[mine] = get_global_id(0);
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      *serving = mine + 1;
    })",
                        specialized(32));
  ASSERT_TRUE(kernel.code->is_resumable());
  uint32_t ticket = 0, serving = 0;
  std::vector<uint32_t> order(96, 1000), sorted(96);
  std::iota(sorted.begin(), sorted.end(), 0);
  void *args[] = {&ticket, &serving, order.data()};
  RoundRobin launch(*kernel.code, 3, 32, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(10000));
  EXPECT_THAT(order, testing::UnorderedElementsAreArray(sorted));
}

// Each work-item restores the value that it left before, but finds the value of the other one.
TEST_P(Resumable, RoundsThatUndoWhatOthersWroteChangeSomething) {
  auto kernel = compile(R"(
    #define STORE(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
    #define LOAD(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
    kernel void leave_own(global atomic_uint *end, global atomic_uint *word) {
      while (LOAD(end) == 0) {
        STORE(word, 7u);
        STORE(word, (uint)get_group_id(0));
      }
    })",
                        specialized(1));
  ASSERT_TRUE(kernel.code->is_resumable());
  uint32_t end = 0, word = 0;
  void *args[] = {&end, &word};
  RoundRobin one(*kernel.code, 1, 1, args, kernel.local_memory_size);
  EXPECT_FALSE(one.run(10));
  EXPECT_FALSE(one.changed);
  RoundRobin two(*kernel.code, 2, 1, args, kernel.local_memory_size);
  EXPECT_FALSE(two.run(10));
  EXPECT_TRUE(two.changed);
}

TEST_P(Resumable, GlobalBarrierOfManyGroups) {
  auto kernel = compile(R"(
    kernel void meet(global atomic_int *arrived, global int *value, global int *sum) {
      size_t group = get_group_id(0), groups = get_num_groups(0), id = get_local_id(0);
      value[get_global_id(0)] = (int)get_global_id(0);
      barrier(CLK_GLOBAL_MEM_FENCE);
      if (id == 0) {
        atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
        while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) != groups) ;
      }
      barrier(CLK_GLOBAL_MEM_FENCE);
      size_t n = get_global_size(0);
      sum[get_global_id(0)] = value[n - 1 - get_global_id(0)] + value[get_global_id(0)];
    })",
                        specialized(40)); // the last sub-group is not full
  ASSERT_TRUE(kernel.code->is_resumable());
  EXPECT_EQ(kernel.code->sub_group_size, 16u); // lanes held back go to a barrier
  constexpr int groups = 100, size = groups * 40;
  int arrived = 0;
  std::vector<int> value(size), sum(size);
  void *args[] = {&arrived, value.data(), sum.data()};
  RoundRobin launch(*kernel.code, groups, 40, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(100));
  EXPECT_THAT(sum, Each(size - 1));
}

TEST_P(Resumable, FlagsBetweenNeighborsInDescendingOrder) {
  auto kernel = compile(R"(
    kernel void chain(volatile global int *flag, global int *value) {
      size_t group = get_group_id(0), groups = get_num_groups(0);
      local int base;
      if (get_local_id(0) == 0) {
        if (group + 1 < groups)
          while (flag[group + 1] == 0) ;
        base = group + 1 < groups ? value[(group + 1) * get_local_size(0)] : 0;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      value[get_global_id(0)] = base + 1 + (int)get_local_id(0);
      barrier(CLK_GLOBAL_MEM_FENCE);
      if (get_local_id(0) == 0) flag[group] = 1;
    })",
                        specialized(24));
  ASSERT_TRUE(kernel.code->is_resumable());
  EXPECT_EQ(kernel.code->sub_group_size, 16u);
  constexpr int groups = 30;
  std::vector<int> flag(groups), value(groups * 24);
  void *args[] = {flag.data(), value.data()};
  RoundRobin launch(*kernel.code, groups, 24, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(1000));
  for (int index = 0; index != groups * 24; ++index)
    EXPECT_EQ(value[index], groups - index / 24 + index % 24) << index;
}

TEST_P(Resumable, LanesPartAndMeetAfterTheWait) {
  auto kernel = compile(R"(
    kernel void wait(volatile global int *flag, global int *value) {
      size_t id = get_global_id(0);
      int sum = 0;
      for (int i = 0; i <= (int)(id % 5); ++i) sum += i * value[id];
      while (*flag == 0) ;
      value[id] = sum + *flag;
    })",
                        specialized(40));
  ASSERT_TRUE(kernel.code->is_resumable());
  EXPECT_EQ(kernel.code->sub_group_size, 16u); // all wait for the same value
  std::vector<int> value(80, 2);
  int flag = 0;
  void *args[] = {&flag, value.data()};
  RoundRobin launch(*kernel.code, 2, 40, args, kernel.local_memory_size);
  EXPECT_FALSE(launch.run(5));
  EXPECT_EQ(kernel.code->resumable.is_of_group, GetParam()); // per group only if the size is known
  const SubGroupFrame &frame = launch.frame(1, kernel.code->resumable.is_of_group ? 0 : 2);
  const WaitRecord &wait = frame.wait;
  EXPECT_EQ(wait.address, &flag);
  EXPECT_EQ(wait.seen, 0u);
  EXPECT_EQ(wait.size(), 4u);
  EXPECT_FALSE(launch.changed);
  const SuspensionSite &site = kernel.code->resumable.sites.at(frame.site);
  EXPECT_EQ(site.kind, SuspensionSite::Kind::wait);
  EXPECT_EQ(site.line, 6u);
  EXPECT_TRUE(site.is_pure);
  flag = 7;
  EXPECT_TRUE(launch.run(1));
  for (int id = 0; id != 80; ++id)
    EXPECT_EQ(value[id], 7 + 2 * (id % 5) * (id % 5 + 1) / 2) << id;
}

TEST_P(Resumable, LanesThatWaitForTheirNeighbors) {
  auto kernel = compile(R"(
    kernel void ripple(volatile global int *flag) {
      size_t id = get_local_id(0);
      if (id > 0)
        while (flag[id - 1] == 0) ;
      flag[id] = flag[0] + (int)id;
    })",
                        specialized(50));
  ASSERT_TRUE(kernel.code->is_resumable());
  EXPECT_EQ(kernel.code->sub_group_size, 1u);
  std::vector<int> flag(50);
  void *args[] = {flag.data()};
  RoundRobin launch(*kernel.code, 1, 50, args, kernel.local_memory_size);
  EXPECT_FALSE(launch.run(3)); // item 0 writes 0 + 0, so no work-item may continue
  flag[0] = 1;
  EXPECT_TRUE(launch.run(100));
  for (int id = 1; id != 50; ++id)
    EXPECT_EQ(flag[id], id + 1);
}

TEST_P(Resumable, WaitsInNestedLoopsWithBarriersBetween) {
  auto kernel = compile(R"(
    kernel void rounds(global atomic_int *arrived, global int *value) {
      size_t groups = get_num_groups(0), n = get_global_size(0), id = get_global_id(0);
      for (int round = 0; round < 6; ++round) {
        int left = value[(round % 2) * n + (id + n - 1) % n];
        value[((round + 1) % 2) * n + id] = left + 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) {
          atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
          while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device)
                 < (int)groups * (round + 1)) ;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
      }
    })",
                        specialized(36));
  ASSERT_TRUE(kernel.code->is_resumable());
  constexpr int n = 5 * 36;
  int arrived = 0;
  std::vector<int> value(2 * n);
  std::iota(value.begin(), value.begin() + n, 0);
  void *args[] = {&arrived, value.data()};
  RoundRobin launch(*kernel.code, 5, 36, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(1000));
  for (int id = 0; id != n; ++id)
    EXPECT_EQ(value[id], (id + n - 6) % n + 6);
}

TEST_P(Resumable, LocalMemoryAsyncCopyAndPrivateArraysAreKept) {
  auto kernel = compile(R"(
    kernel void keep(volatile global int *flag, global const int *in, global int *out) {
      local int tile[32];
      size_t id = get_local_id(0), group = get_group_id(0);
      int mine[8];
      for (int i = 0; i < 8; ++i) mine[i] = (int)id * i;
      event_t event = async_work_group_copy(tile, in + group * 32, 32, 0);
      wait_group_events(1, &event);
      int before = tile[31 - id];
      if (id == 0)
        while (*flag == 0) ;
      barrier(CLK_LOCAL_MEM_FENCE);
      tile[id] = before + mine[*flag & 7];
      barrier(CLK_LOCAL_MEM_FENCE);
      event = async_work_group_copy(out + group * 32, tile, 32, 0);
      wait_group_events(1, &event);
    })",
                        specialized(32));
  ASSERT_TRUE(kernel.code->is_resumable());
  int flag = 0;
  std::vector<int> in(96), out(96);
  std::iota(in.begin(), in.end(), 100);
  void *args[] = {&flag, in.data(), out.data()};
  RoundRobin launch(*kernel.code, 3, 32, args, kernel.local_memory_size);
  EXPECT_FALSE(launch.run(10));
  flag = 3;
  EXPECT_TRUE(launch.run(10));
  for (int index = 0; index != 96; ++index)
    EXPECT_EQ(out[index], 100 + index / 32 * 32 + 31 - index % 32 + 3 * (index % 32)) << index;
}

TEST_P(Resumable, PrivateMemoryInTheFrameIsPrivate) {
  auto kernel = compile(R"(
    int kind(int *p) { return to_private(p) ? 1 : to_local(p) ? 2 : to_global(p) ? 3 : 0; }
    kernel void ask(volatile global int *flag, global int *memory, global int *out) {
      int mine[4] = {1, 2, 3, 4};
      local int tile[4];
      int *pointer = memory;
      if (*flag == 1) pointer = mine;
      while (*flag < 2) ;
      out[get_local_id(0)] = kind(pointer + (get_local_id(0) & 3)) * 10 + kind(memory);
    })",
                        specialized(8));
  ASSERT_TRUE(kernel.code->is_resumable());
  int flag = 1;
  std::vector<int> memory(4), out(8); // not on this thread's stack, which is private
  void *args[] = {&flag, memory.data(), out.data()};
  RoundRobin launch(*kernel.code, 1, 8, args, kernel.local_memory_size);
  EXPECT_FALSE(launch.run(3));
  flag = 2;
  EXPECT_TRUE(launch.run(3));
  EXPECT_THAT(out, Each(13));
}

// Four iterations, each of which begins with a wait for the flag. `round` is the body of an
// iteration.
std::string kernel_that_picks(const std::string &round) {
  return R"(
    kernel void pick(volatile global int *flag, volatile global int *lock, global int *out, uint a, uint b) {
      int id = (int)get_local_id(0), sum = 0;
      for (int round = 0; round < 4; ++round) {
        if (*flag < round) {
          int seen = *lock, old;
          do {
            old = seen;
            seen = atomic_cmpxchg(lock, old, old ^ 1);
          } while (seen != old);
          --round;
        } else {
)" + round +
         R"(
        }
      }
      out[id] = sum;
    })";
}

// A variable is live in a part of an iteration; loop-invariant values are computed before the loop.
TEST_P(Resumable, AddressesComputedBeforeTheLoopAreThoseOfTheVariable) {
  auto kernel = compile(kernel_that_picks(R"(
          int values[4] = {id, id + 10 * round, id * 3, id - round};
          sum = sum * 5 + values[rotate(a, a) & 3];
          int others[4] = {id, id * 7, id + 20 * round, id * 2};
          sum = sum * 5 + others[(rotate(a, b) ^ rotate(b, a)) & 3];)"),
                        specialized(8));
  ASSERT_TRUE(kernel.code->is_resumable());
  int flag = 0, lock = 0;
  std::vector<int> out(8);
  const uint32_t a = 1, b = 5;
  struct {
    void *flag, *lock, *out;
    uint32_t a, b;
  } args = {&flag, &lock, out.data(), a, b};
  RoundRobin launch(*kernel.code, 1, 8, &args, kernel.local_memory_size);
  for (; flag < 3; ++flag)
    EXPECT_FALSE(launch.run(20));
  EXPECT_TRUE(launch.run(20));
  const int first = std::rotl(a, int(a)) & 3,
            second = (std::rotl(a, int(b)) ^ std::rotl(b, int(a))) & 3;
  for (int id = 0; id != 8; ++id) {
    int sum = 0;
    for (int round = 0; round < 4; ++round) {
      const int values[] = {id, id + 10 * round, id * 3, id - round};
      const int others[] = {id, id * 7, id + 20 * round, id * 2};
      sum = (sum * 5 + values[first]) * 5 + others[second];
    }
    EXPECT_EQ(out[id], sum) << id;
  }
}

TEST_P(Resumable, VariablesThatNoSuspensionInterruptsAreNotInTheFrame) {
  auto kernel = compile(kernel_that_picks(R"(
          int values[1024];
          for (int i = 0; i < 1024; ++i) values[i] = id * i + round;
          sum = sum * 5 + values[rotate(a, a) & 1023];)"),
                        specialized(8));
  ASSERT_TRUE(kernel.code->is_resumable());
  EXPECT_LT(kernel.code->resumable.frame_size, 1024 * sizeof(int));
}

TEST_P(Resumable, ADeadWaitChangesNothing) {
  auto kernel = compile(R"(
    kernel void dead(global int *lock) {
      while (atomic_cmpxchg(lock, 0, 1) != 0) ;
    })",
                        specialized(4));
  int lock = 0;
  void *args[] = {&lock};
  RoundRobin launch(*kernel.code, 1, 4, args, kernel.local_memory_size);
  EXPECT_FALSE(launch.run(1));
  EXPECT_TRUE(launch.changed);
  EXPECT_FALSE(launch.run(3));
  EXPECT_FALSE(launch.changed);
  EXPECT_EQ(launch.frame(0, 3).wait.address, &lock);
  EXPECT_EQ(launch.frame(0, 3).wait.seen, 1u);
}

TEST_P(Resumable, ACounterThatEndsTheWaitIsAChange) {
  auto kernel = compile(R"(
    kernel void patient(volatile global int *flag, global int *tries) {
      int i = 0;
      while (*flag == 0 && i < 100) ++i;
      tries[get_global_id(0)] = i;
    })",
                        specialized(16));
  ASSERT_TRUE(kernel.code->is_resumable());
  int flag = 0;
  std::vector<int> tries(16);
  void *args[] = {&flag, tries.data()};
  RoundRobin launch(*kernel.code, 1, 16, args, kernel.local_memory_size);
  EXPECT_FALSE(launch.run(50));
  EXPECT_TRUE(launch.changed);
  EXPECT_TRUE(launch.run(52));
  EXPECT_THAT(tries, Each(100));
}

TEST(ResumableForm, KernelsThatDoNotWaitAreLooped) {
  auto kernel = compile(R"(
    kernel void accumulate(volatile global float *sum, global const float *value) {
      union { float f; int i; } old, now;
      do {
        old.f = *sum;
        now.f = old.f + value[get_global_id(0)];
      } while (atomic_cmpxchg((volatile global int *)sum, old.i, now.i) != old.i);
    })",
                        64);
  EXPECT_FALSE(kernel.code->is_resumable());
}

TEST(ResumableForm, PingPongIsNeverDead) {
  auto kernel = compile(R"(
    kernel void ping_pong(volatile global int *turn, int rounds) {
      int me = (int)get_group_id(0);
      for (int i = 0; i < rounds; ++i) {
        while (*turn != me) ;
        *turn = 1 - me;
      }
    })",
                        1);
  ASSERT_TRUE(kernel.code->is_resumable());
  struct {
    int *turn;
    int rounds;
  } args;
  int turn = 0;
  args = {&turn, 100};
  RoundRobin launch(*kernel.code, 2, 1, &args, kernel.local_memory_size);
  for (int round = 0; round != 90; ++round) { // the same wait with the same value again and again
    EXPECT_FALSE(launch.run(1));
    EXPECT_TRUE(launch.changed);
  }
  EXPECT_TRUE(launch.run(20));
}

TEST(ResumableForm, WithoutOptimizationAndWithDebugInformation) {
  for (const char *options : {"-cl-opt-disable", "-g", "-g -cl-opt-disable"}) {
    auto kernel = compile(R"(
      kernel void count(global int *lock, global int *counter) {
        local int here;
        if (get_local_id(0) == 0) here = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        while (atomic_xchg(lock, 1) != 0) ;
        int before = *(volatile global int *)counter;
        *(volatile global int *)counter = before + 1;
        ++*(volatile local int *)&here;
        atomic_xchg(lock, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        counter[1 + get_group_id(0)] = here;
      })",
                          40, options);
    ASSERT_TRUE(kernel.code->is_resumable()) << options;
    int lock = 0, counter[4] = {};
    void *args[] = {&lock, counter};
    RoundRobin launch(*kernel.code, 3, 40, args, kernel.local_memory_size);
    EXPECT_TRUE(launch.run(10000)) << options;
    EXPECT_THAT(counter, testing::ElementsAre(120, 40, 40, 40)) << options;
  }
}

TEST(ResumableForm, SitesInALongLineHaveAPlace) {
  const std::string before(5000, ' ');
  auto kernel = compile(
      "kernel void wait(volatile global int *flag) {" + before + "while (*flag == 0) ; }", 1);
  ASSERT_EQ(kernel.code->resumable.sites.size(), 1u);
  EXPECT_EQ(kernel.code->resumable.sites[0].line, 1u);
  EXPECT_GT(kernel.code->resumable.sites[0].column, 5000u);
}

TEST(ResumableForm, LocalSizesInThreeDimensions) {
  auto kernel = compile(R"(
    kernel void ids(volatile global int *flag, global uint *out) {
      while (*flag == 0) ;
      uint id = (get_local_id(2) * 4 + get_local_id(1)) * 3 + get_local_id(0);
      out[get_group_id(0) * 60 + id] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2);
    })",
                        0);
  ASSERT_TRUE(kernel.code->is_resumable());
  int flag = 1;
  std::vector<uint32_t> out(120, 1000);
  void *args[] = {&flag, out.data()};
  RoundRobin launch(*kernel.code, 2, {3, 4, 5}, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(1));
  for (uint32_t index = 0; index != 120; ++index)
    EXPECT_EQ(out[index], index % 3 + 10 * (index % 60 / 3 % 4) + 100 * (index % 60 / 12)) << index;
}

} // namespace
} // namespace lockstep::compiler
