#include "tests/nvidia/device_fixture.h"

#include "api/opencl/device.h"
#include "api/opencl/platform.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

#include <algorithm>

namespace lockstep::opencl {

const char *const NvidiaDeviceTest::source = R"(
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
  constant char first[] = "first";
  kernel void print_text(global int *to) { printf("text %.4s\n", *to ? first : "others"); }
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

NvidiaDeviceTest::NvidiaDeviceTest() {
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

NvidiaDeviceTest::~NvidiaDeviceTest() {
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

cl_mem NvidiaDeviceTest::make(const Values &values) {
  buffers_.push_back(opencl::clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR,
                                            values.size() * sizeof(cl_int),
                                            const_cast<cl_int *>(values.data()), nullptr));
  return buffers_.back();
}

cl_kernel NvidiaDeviceTest::kernel(const char *name) {
  kernels_.push_back(opencl::clCreateKernel(program_, name, nullptr));
  return kernels_.back();
}

cl_int NvidiaDeviceTest::launch(cl_kernel kernel, const Sizes &global, const Sizes &local,
                                const Sizes &offset, cl_event *event) {
  return opencl::clEnqueueNDRangeKernel(queue_, kernel, cl_uint(global.size()),
                                        offset.empty() ? nullptr : offset.data(), global.data(),
                                        local.empty() ? nullptr : local.data(), 0, nullptr, event);
}

Values NvidiaDeviceTest::read(cl_mem buffer, size_t count) {
  Values values(count);
  EXPECT_EQ(opencl::clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(cl_int),
                                        values.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  return values;
}

void NvidiaDeviceTest::check_numbers(cl_kernel number, const Sizes &global, const Sizes &local,
                                     const Sizes &offset) {
  cl_mem to = make(Values(global[0] * global[1]));
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

} // namespace lockstep::opencl
