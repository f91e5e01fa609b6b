// Tests that device, kernel and launch agree on the sub-group size.
#include "opencl_fixture.h"

#include <algorithm>
#include <array>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
#ifdef SIZE
__attribute__((intel_reqd_sub_group_size(SIZE)))
#endif
kernel void report(global uint *out) {
  if (get_global_id(0) == 0) {
    out[0] = get_max_sub_group_size();
    out[1] = get_num_sub_groups();
  }
  out[2] = sub_group_any(1);
}
kernel void plain(global uint *out) { out[get_global_id(0)] = 1; }
)";

class SubGroupQuery : public DeviceTest {
protected:
  template <class T>
  T ask(cl_kernel kernel, cl_kernel_sub_group_info name, std::vector<size_t> input = {}) {
    T value{};
    EXPECT_EQ(clGetKernelSubGroupInfo(kernel, device_, name, input.size() * sizeof(size_t),
                                      input.empty() ? nullptr : input.data(), sizeof value, &value,
                                      nullptr),
              CL_SUCCESS);
    return value;
  }

  // Launches, and compares the results with the queries.
  void check(cl_kernel kernel, std::vector<size_t> local) {
    const auto size = ask<size_t>(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local);
    const auto count = ask<size_t>(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local);
    size_t items = 1;
    for (size_t one : local)
      items *= one;
    EXPECT_EQ(count, (items + size - 1) / size);
    EXPECT_LE(count, ask<size_t>(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS));
    EXPECT_LE(count, device_info<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS));
    Memory out = make_buffer(3 * sizeof(cl_uint));
    cl_mem memory = out;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, cl_uint(local.size()), nullptr, local.data(),
                                     local.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    const auto seen = read<cl_uint>(out, 2);
    EXPECT_EQ(seen[0], size);
    EXPECT_EQ(seen[1], count);
  }
};

TEST_F(SubGroupQuery, LaunchesHaveTheSizeThatQueriesTell) {
  Program program = build(source, "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "report");
  for (std::vector<size_t> local :
       {std::vector<size_t>{1}, {3}, {64}, {100, 2}, {8, 8, 4}, {1, 7}, {1024}})
    check(kernel, local);
  EXPECT_EQ(ask<size_t>(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS), 0u);
  EXPECT_EQ(ask<size_t>(kernel, 0x410A /* CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL */), 0u);
}

TEST_F(SubGroupQuery, RequiredSizes) {
  for (size_t size : sub_group_sizes()) {
    Program program = build(source, ("-cl-std=CL3.0 -DSIZE=" + std::to_string(size)).c_str());
    Kernel kernel = make_kernel(program, "report");
    EXPECT_EQ(ask<size_t>(kernel, 0x410A), size);
    EXPECT_EQ(ask<size_t>(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {5}), size);
    check(kernel, {5});
    check(kernel, {64, 3});
  }
}

// The second sub-group waits for the first; lanes of one sub-group do not wait for each other.
TEST_F(SubGroupQuery, RequiredSizeIsKeptWhereALoopWaits) {
  if (!has_sub_group_size(16))
    GTEST_SKIP() << "no sub-groups of 16";
  Program program = build(R"(
__attribute__((intel_reqd_sub_group_size(16))) kernel void handed_on(global uint *out) {
  local atomic_int turn;
  if (get_local_id(0) == 0)
    atomic_init(&turn, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  int me = get_num_sub_groups() - 1 - get_sub_group_id();
  if (sub_group_elect())
    while (atomic_load_explicit(&turn, memory_order_acquire, memory_scope_work_group) != me)
      ;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = sub_group_reduce_add(get_sub_group_local_id()) + get_max_sub_group_size();
  if (sub_group_elect())
    atomic_store_explicit(&turn, me + 1, memory_order_release, memory_scope_work_group);
})",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "handed_on");
  const size_t items = 64;
  EXPECT_EQ(ask<size_t>(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {items}), 16u);
  Memory out = make_buffer(items * sizeof(cl_uint));
  cl_mem memory = out;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &items, 0, nullptr, nullptr),
            CL_SUCCESS);
  for (cl_uint value : read<cl_uint>(out, items))
    EXPECT_EQ(value, 120u + 16u);
}

TEST_F(SubGroupQuery, SizesThatDoNotExistAreRefused) {
  const char *text = source;
  for (const char *options : {"-cl-std=CL3.0 -DSIZE=3", "-cl-std=CL3.0 -DSIZE=128"}) {
    cl_int status = 1;
    Program program(clCreateProgramWithSource(context_, 1, &text, nullptr, &status));
    EXPECT_EQ(clBuildProgram(program, 1, &device_, options, nullptr, nullptr),
              CL_BUILD_PROGRAM_FAILURE);
  }
}

TEST_F(SubGroupQuery, LocalSizeForACount) {
  Program program = build(source, "-cl-std=CL3.0");
  for (const char *name : {"report", "plain"}) {
    Kernel kernel = make_kernel(program, name);
    for (size_t count : {1, 2, 5, 16}) {
      const auto local =
          ask<std::array<size_t, 3>>(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, {count});
      ASSERT_NE(local[0], 0u);
      EXPECT_EQ(local[1], 1u);
      EXPECT_EQ(local[2], 1u);
      EXPECT_EQ(ask<size_t>(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {local[0]}), count);
      EXPECT_EQ(
          local[0] % ask<size_t>(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {local[0]}), 0u);
    }
    EXPECT_EQ(ask<size_t>(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, {1u << 20}), 0u);
  }
}

TEST_F(SubGroupQuery, ARequiredLocalSizeIsTheOnlyOne) {
  Program program = build(R"(
__attribute__((reqd_work_group_size(8, 4, 1))) kernel void fixed(global uint *out) {
  out[get_global_id(0)] = sub_group_reduce_add(get_sub_group_local_id());
})",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "fixed");
  const auto count = ask<size_t>(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {8, 4, 1});
  using Sizes = std::array<size_t, 3>;
  EXPECT_EQ(ask<Sizes>(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, {count}),
            (Sizes{8, 4, 1}));
  EXPECT_EQ(ask<Sizes>(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, {count + 1}),
            (Sizes{0, 0, 0}));
  // One dimension cannot express it.
  EXPECT_EQ(ask<size_t>(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, {count}), 0u);
}

} // namespace
