// Compiles kernels that wait and runs their sub-groups in turn on one thread, where any other form
// would hang.
#include "compiler/ir_to_workgroup/resumable/round_robin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

const bool form_is_chosen = [] { // before anything is compiled
  setenv("LOCKSTEP_FORM", "auto", 1);
  return setenv("LOCKSTEP_CACHE", "0", 1) == 0;
}();

Compiled compile(const std::string &source, uint32_t local_size,
                 const std::string &options = "-cl-std=CL3.0") {
  std::string log;
  auto module = build_opencl_c(source, options, log);
  EXPECT_TRUE(module) << log;
  Compiled compiled;
  auto kept = std::make_shared<const KernelModule>(std::move(*module));
  compiled.local_memory_size = kept->kernels[0].local_memory_size;
  auto program = ProgramCode::create(kept);
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
  // Both the code for one local size and the code for any.
  uint32_t specialised(uint32_t local_size) const { return GetParam() ? local_size : 0; }
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
                        specialised(64));
  ASSERT_TRUE(kernel.code->is_resumable());
  int lock = 0, counter = 0;
  void *args[] = {&lock, &counter};
  RoundRobin launch(*kernel.code, 4, 64, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(10000));
  EXPECT_EQ(counter, 256);
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
                        specialised(48));
  ASSERT_TRUE(kernel.code->is_resumable());
  constexpr int groups = 100, size = groups * 48;
  int arrived = 0;
  std::vector<int> value(size), sum(size);
  void *args[] = {&arrived, value.data(), sum.data()};
  RoundRobin launch(*kernel.code, groups, 48, args, kernel.local_memory_size);
  EXPECT_TRUE(launch.run(100));
  EXPECT_THAT(sum, Each(size - 1));
}

} // namespace
} // namespace lockstep::compiler
