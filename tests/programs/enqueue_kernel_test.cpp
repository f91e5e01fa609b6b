// Tests kernels in a queue: IDs and sizes for every shape of range, arguments captured at enqueue,
// retained memory, dependencies, and kernels that fault.
#include "late_notifications.h"
#include "opencl_fixture.h"

#include <array>
#include <numeric>
#include <thread>

using namespace lockstep::test;

namespace {

using Triple = std::array<size_t, 3>;

// Each work-item writes one row, at its index in the range.
constexpr const char *probe_source = R"(
struct Row { uint global_id[3], local_id[3], group_id[3], local_size[3], enqueued[3], groups[3], global_size[3],
             offset[3], dim; };
kernel void probe(global struct Row *rows) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2);
  global struct Row *row = rows + (z * get_global_size(1) + y) * get_global_size(0) + x;
  for (int d = 0; d < 3; ++d) {
    row->global_id[d] = get_global_id(d);
    row->local_id[d] = get_local_id(d);
    row->group_id[d] = get_group_id(d);
    row->local_size[d] = get_local_size(d);
    row->enqueued[d] = get_enqueued_local_size(d);
    row->groups[d] = get_num_groups(d);
    row->global_size[d] = get_global_size(d);
    row->offset[d] = get_global_offset(d);
  }
  row->dim = get_work_dim();
}
)";
struct Row {
  cl_uint global_id[3], local_id[3], group_id[3], local_size[3], enqueued[3], groups[3],
      global_size[3], offset[3], dim;
};

class EnqueueKernel : public DeviceTest {
protected:
  void run(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local = {},
           cl_int expected = CL_SUCCESS) {
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, global.size(), nullptr, global.data(),
                                     local.empty() ? nullptr : local.data(), 0, nullptr, nullptr),
              expected);
  }
  void probe(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local,
             std::vector<size_t> offset);
};

void check_row(const Row &row, const Triple &at, const Triple &global, const Triple &local,
               const Triple &offset, cl_uint dim) {
  EXPECT_EQ(row.dim, dim);
  for (int d = 0; d < 3; ++d) {
    size_t group = at[d] / local[d];
    EXPECT_EQ(row.global_id[d], at[d] + offset[d]);
    EXPECT_EQ(row.local_id[d], at[d] % local[d]);
    EXPECT_EQ(row.group_id[d], group);
    EXPECT_EQ(row.local_size[d], std::min(local[d], global[d] - group * local[d]));
    EXPECT_EQ(row.enqueued[d], local[d]);
    EXPECT_EQ(row.groups[d], (global[d] + local[d] - 1) / local[d]);
    EXPECT_EQ(row.global_size[d], global[d]);
    EXPECT_EQ(row.offset[d], offset[d]);
  }
}

// If `local` is empty, the library chooses a local size, and every work-item must report it.
void EnqueueKernel::probe(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local,
                          std::vector<size_t> offset) {
  cl_uint dim = global.size();
  Triple sizes{1, 1, 1}, groups{1, 1, 1}, offsets{0, 0, 0};
  std::copy(global.begin(), global.end(), sizes.begin());
  std::copy(local.begin(), local.end(), groups.begin());
  std::copy(offset.begin(), offset.end(), offsets.begin());
  size_t items = sizes[0] * sizes[1] * sizes[2];
  Memory rows = make_buffer(items * sizeof(Row));
  cl_mem argument = rows;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, dim, offset.empty() ? nullptr : offset.data(),
                                   global.data(), local.empty() ? nullptr : local.data(), 0,
                                   nullptr, nullptr),
            CL_SUCCESS);
  std::vector<Row> result = read<Row>(rows, items);
  if (local.empty())
    std::copy_n(result[0].enqueued, 3, groups.begin());
  for (size_t i = 0; i < items && !HasFailure(); ++i)
    check_row(result[i], {i % sizes[0], i / sizes[0] % sizes[1], i / sizes[0] / sizes[1]}, sizes,
              groups, offsets, dim);
}

TEST_F(EnqueueKernel, IdsInEveryShape) {
  Program program = build(probe_source, "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "probe");
  probe(kernel, {64}, {16}, {});
  probe(kernel, {1}, {1}, {});
  probe(kernel, {1000}, {}, {});
  probe(kernel, {100}, {100}, {7});
  probe(kernel, {24, 10}, {8, 5}, {3, 100});
  probe(kernel, {37, 11}, {}, {});
  probe(kernel, {8, 6, 4}, {2, 3, 4}, {1, 2, 3});
  probe(kernel, {5, 7, 9}, {}, {});
  probe(kernel, {1, 1, 70}, {1, 1, 10}, {});
}

TEST_F(EnqueueKernel, NonUniformWorkGroups) {
  Program program = build(probe_source, "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "probe");
  probe(kernel, {10}, {16}, {}); // one group, smaller than requested
  probe(kernel, {65}, {16}, {});
  probe(kernel, {17, 5}, {4, 4}, {2, 0});
  probe(kernel, {7, 9, 5}, {4, 4, 4}, {});
  probe(kernel, {8, 9, 5}, {4, 3, 4}, {});
}

TEST_F(EnqueueKernel, RequiredWorkGroupSize) {
  Program program =
      build("kernel __attribute__((reqd_work_group_size(4, 2, 1))) void f(global uint *out) {"
            "  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] ="
            "      get_local_size(0) * 10 + get_local_size(1); }");
  Kernel kernel = make_kernel(program, "f");
  Memory out = make_buffer(32 * 4);
  cl_mem argument = out;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  run(kernel, {8, 4}, {4, 2});
  EXPECT_EQ(read<cl_uint>(out, 32), std::vector<cl_uint>(32, 42));
  run(kernel, {8, 4}, {}); // the library takes the required size
  EXPECT_EQ(read<cl_uint>(out, 32), std::vector<cl_uint>(32, 42));
}

constexpr const char *add_source = R"(
kernel void add(global int *data, int value) { data[get_global_id(0)] += value; }
kernel void set(global int *data, int value) { data[get_global_id(0)] = value; }
kernel void scale_local(global int *data, local int *scratch, int factor) {
  scratch[get_local_id(0)] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = scratch[get_local_size(0) - 1 - get_local_id(0)] * factor;
}
kernel void is_null(global int *maybe, global int *out) { *out = maybe ? 1 : 2; }
)";

class EnqueueKernelArguments : public EnqueueKernel {
protected:
  void SetUp() override {
    EnqueueKernel::SetUp();
    if (HasFatalFailure())
      return;
    program_ = build(add_source);
    kernel_ = make_kernel(program_, "add");
  }
  void set(cl_kernel kernel, cl_mem buffer, int value) {
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof value, &value), CL_SUCCESS);
  }
  Program program_;
  Kernel kernel_;
};

TEST_F(EnqueueKernelArguments, AreTakenAtTheCall) {
  std::vector<int> zeros(256, 0);
  Memory first = make_buffer(1024, CL_MEM_COPY_HOST_PTR, zeros.data());
  Memory second = make_buffer(1024, CL_MEM_COPY_HOST_PTR, zeros.data());
  Event gate = make_user_event();
  cl_event wait[] = {gate};
  const size_t size = 256;
  for (int i = 1; i <= 10; ++i) {
    set(kernel_, i % 2 ? first : second, i);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &size, nullptr, 1, wait, nullptr),
              CL_SUCCESS);
  }
  set(kernel_, first, 1000);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(read<int>(first, 256), std::vector<int>(256, 1 + 3 + 5 + 7 + 9));
  EXPECT_EQ(read<int>(second, 256), std::vector<int>(256, 2 + 4 + 6 + 8 + 10));
}

TEST_F(EnqueueKernelArguments, EverythingMayBeReleasedAfterTheCall) {
  Memory whole = make_buffer(1024);
  write(whole, std::vector<int>(256, 5));
  Memory buffer = make_sub_buffer(whole, 0, 1024);
  set(kernel_, buffer, 2);
  Event gate = make_user_event(), done;
  cl_event wait[] = {gate};
  const size_t size = 256;
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &size, nullptr, 1, wait, done.out()),
      CL_SUCCESS);
  buffer.reset();
  kernel_.reset();
  program_.reset();
  queue_.reset();
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  cl_event list[] = {done};
  ASSERT_EQ(clWaitForEvents(1, list), CL_SUCCESS);
  queue_ = make_queue(0);
  EXPECT_EQ(read<int>(whole, 256), std::vector<int>(256, 7));
}

TEST_F(EnqueueKernelArguments, SubBufferAsArgument) {
  size_t step = device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  std::vector<int> data(step, 1); // 4 * step bytes
  Memory buffer = make_buffer(4 * step, CL_MEM_COPY_HOST_PTR, data.data());
  Memory sub = make_sub_buffer(buffer, step, step);
  set(kernel_, sub, 10);
  run(kernel_, {step / 4});
  std::fill(data.begin() + step / 4, data.begin() + step / 2, 11);
  EXPECT_EQ(read<int>(buffer, step), data);
}

TEST_F(EnqueueKernelArguments, LocalMemory) {
  Kernel kernel = make_kernel(program_, "scale_local");
  std::vector<int> data(64);
  std::iota(data.begin(), data.end(), 0);
  Memory buffer = make_buffer(256, CL_MEM_COPY_HOST_PTR, data.data());
  cl_mem argument = buffer;
  const int factor = 3;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, 16 * sizeof(int), nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof factor, &factor), CL_SUCCESS);
  run(kernel, {64}, {16});
  for (int i = 0; i < 64; ++i)
    data[i] = 3 * (i / 16 * 16 + 15 - i % 16);
  EXPECT_EQ(read<int>(buffer, 64), data);
}

TEST_F(EnqueueKernelArguments, NullBuffer) {
  Kernel kernel = make_kernel(program_, "is_null");
  Memory out = make_buffer(4);
  cl_mem argument = out, null = nullptr;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof null, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof argument, &argument), CL_SUCCESS);
  run(kernel, {1});
  EXPECT_EQ(read<int>(out, 1), std::vector<int>{2});
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof null, &null), CL_SUCCESS);
  run(kernel, {1});
  EXPECT_EQ(read<int>(out, 1), std::vector<int>{2});
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  run(kernel, {1});
  EXPECT_EQ(read<int>(out, 1), std::vector<int>{1});
}

TEST_F(EnqueueKernelArguments, NothingToRunIsNoError) {
  std::vector<int> data(16, 4);
  Memory buffer = make_buffer(64, CL_MEM_COPY_HOST_PTR, data.data());
  set(kernel_, buffer, 1);
  run(kernel_, {0});
  run(kernel_, {16, 0});
  Event event;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, nullptr, nullptr, 0, nullptr,
                                   event.out()),
            CL_SUCCESS);
  EXPECT_EQ(event_info<cl_command_type>(event, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_NDRANGE_KERNEL});
  EXPECT_EQ(read<int>(buffer, 16), data);
  EXPECT_EQ(status_of(event), CL_COMPLETE);
}

TEST_F(EnqueueKernelArguments, TaskIsOneWorkItem) {
  std::vector<int> data(16, 4);
  Memory buffer = make_buffer(64, CL_MEM_COPY_HOST_PTR, data.data());
  set(kernel_, buffer, 1);
  Event event;
  ASSERT_EQ(clEnqueueTask(queue_, kernel_, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(event_info<cl_command_type>(event, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_TASK});
  data[0] = 5;
  EXPECT_EQ(read<int>(buffer, 16), data);
}

TEST_F(EnqueueKernelArguments, LongChainsOnTwoQueues) {
  constexpr int length = 1000;
  Queue other = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  std::vector<int> zeros(256, 0);
  Memory buffer = make_buffer(1024, CL_MEM_COPY_HOST_PTR, zeros.data());
  set(kernel_, buffer, 1);
  const size_t size = 256;
  Event previous;
  for (int i = 0; i < length; ++i) {
    Event next;
    cl_event wait[] = {previous};
    ASSERT_EQ(clEnqueueNDRangeKernel(i % 3 ? other : queue_, kernel_, 1, nullptr, &size, nullptr,
                                     previous ? 1 : 0, previous ? wait : nullptr, next.out()),
              CL_SUCCESS);
    previous = std::move(next);
  }
  cl_event wait[] = {previous};
  ASSERT_EQ(clWaitForEvents(1, wait), CL_SUCCESS);
  EXPECT_EQ(read<int>(buffer, 256), std::vector<int>(256, length));
}

TEST_F(EnqueueKernelArguments, KernelPerThread) {
  constexpr int threads = 4, rounds = 100;
  std::vector<int> good(threads, 0);
  std::vector<std::thread> workers;
  for (int thread = 0; thread < threads; ++thread)
    workers.emplace_back([&, thread] {
      cl_kernel kernel = clCreateKernel(program_, "add", nullptr);
      cl_command_queue queue =
          clCreateCommandQueueWithProperties(context_, device_, nullptr, nullptr);
      std::vector<int> data(100, 0);
      cl_mem buffer = clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, 400, data.data(), nullptr);
      clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
      clSetKernelArg(kernel, 1, sizeof thread, &thread);
      const size_t size = 100;
      for (int round = 0; round < rounds; ++round)
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr);
      clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 400, data.data(), 0, nullptr, nullptr);
      good[thread] = data == std::vector<int>(100, thread * rounds);
      clReleaseMemObject(buffer);
      clReleaseCommandQueue(queue);
      clReleaseKernel(kernel);
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(good, std::vector<int>(threads, 1));
}

// The last suite: other devices than CPUs may be lost after a fault.
class EnqueueKernelFault : public EnqueueKernel {};

// A wild pointer: the command fails, and the context's callback gets the kernel's name. Other
// commands continue to work on a CPU. On a device that is lost they fail.
TEST_F(EnqueueKernelFault, IsReported) {
  LateNotifications notifications;
  cl_int status = 1;
  queue_.reset();
  context_ = Context(clCreateContext(nullptr, 1, &device_, LateNotifications::receive,
                                     notifications.user_data(), &status));
  ASSERT_EQ(status, CL_SUCCESS);
  queue_ = make_queue(0);
  Program program = build("kernel void wild(global int *p) { p[(size_t)1 << 45] = 1; }\n"
                          "kernel void good(global int *p) { *p = 7; }");
  Kernel wild = make_kernel(program, "wild"), good = make_kernel(program, "good");
  Memory buffer = make_buffer(4);
  cl_mem argument = buffer;
  ASSERT_EQ(clSetKernelArg(wild, 0, sizeof argument, &argument), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(good, 0, sizeof argument, &argument), CL_SUCCESS);
  const size_t one = 1;
  Event gate = make_user_event(), failed, dependant;
  cl_event wait[] = {gate};
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, wild, 1, nullptr, &one, nullptr, 1, wait, failed.out()),
            CL_SUCCESS);
  wait[0] = failed;
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, good, 1, nullptr, &one, nullptr, 1, wait, dependant.out()),
      CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(status_of(failed), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_LT(status_of(dependant), 0);
  EXPECT_TRUE(notifications.have("wild")) << notifications.all();
  Event later;
  const cl_int enqueued =
      clEnqueueNDRangeKernel(queue_, good, 1, nullptr, &one, nullptr, 0, nullptr, later.out());
  if (device_info<cl_device_type>(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) {
    EXPECT_EQ(enqueued, CL_SUCCESS);
    EXPECT_EQ(read<int>(buffer, 1), std::vector<int>{7});
  } else if (enqueued == CL_SUCCESS) {
    wait[0] = later;
    EXPECT_EQ(clWaitForEvents(1, wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  } else {
    EXPECT_EQ(enqueued, CL_OUT_OF_RESOURCES);
  }
}

} // namespace
