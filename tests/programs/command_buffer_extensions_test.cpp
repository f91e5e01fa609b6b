// Tests updates of recorded command buffers (cl_khr_command_buffer_mutable_dispatch), and command
// buffers with several queues and devices (cl_khr_command_buffer_multi_device).
#include "recorded_kernels.h"

#include <thread>

namespace lockstep::test {
namespace {

// ---- updates

TEST_F(CommandBuffers, UpdatesStayUntilTheNext) {
  Memory data = make_buffer(sizeof(int)), other = make_buffer(sizeof(int));
  write<int>(data, {1});
  write<int>(other, {100});
  cb::Owned buffer = cb::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
  Kernel step = kernel("step", data.get(), 2, 1);
  cl_mutable_command_khr command = record_mutable(buffer.get(), step, 1);
  finalize(buffer);
  run(buffer); // 3
  const int factor = 5;
  cl_mutable_dispatch_arg_khr argument{1, sizeof factor, &factor};
  cb::DispatchConfig config{.command = command, .num_args = 1, .arg_list = &argument};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
  run(buffer); // 16
  run(buffer); // 81
  EXPECT_EQ(read<int>(data, 1)[0], 81);
  cl_mem handle = other;
  argument = {0, sizeof handle, &handle};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
  run(buffer);
  EXPECT_EQ(read<int>(other, 1)[0], 501);
  EXPECT_EQ(read<int>(data, 1)[0], 81);
  // The kernel is unchanged.
  size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, step, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<int>(data, 1)[0], 163);
}

TEST_F(CommandBuffers, SizesCanBeUpdated) {
  constexpr size_t count = 64;
  Memory to = make_buffer(count * sizeof(int)), groups = make_buffer(count * sizeof(int));
  cb::Owned buffer = cb::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_mutable_command_khr command =
      record_mutable(buffer.get(), kernel("where", to.get(), groups.get()), 32, 8);
  finalize(buffer);
  auto check = [&](size_t offset, size_t items, size_t local) {
    write(to, std::vector<int>(count));
    write(groups, std::vector<int>(count));
    run(buffer);
    std::vector<int> ids(count), sizes(count);
    for (size_t i = 0; i < items; ++i)
      ids[offset + i] = int(offset + i + 1);
    for (size_t g = 0; g < items / local; ++g)
      sizes[g] = int(local);
    EXPECT_EQ(read<int>(to, count), ids);
    EXPECT_EQ(read<int>(groups, count), sizes);
    size_t value = 99;
    EXPECT_EQ(f.command_info(command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, sizeof value,
                             &value, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(value, offset);
    f.command_info(command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, sizeof value, &value,
                   nullptr);
    EXPECT_EQ(value, items);
    f.command_info(command, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizeof value, &value, nullptr);
    EXPECT_EQ(value, local);
  };
  check(0, 32, 8);
  const size_t offset = 16, items = 48, local = 4;
  cb::DispatchConfig config{.command = command, .global_work_offset = &offset};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
  check(16, 32, 8);
  config = {.command = command, .global_work_size = &items};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
  check(16, 48, 8);
  config = {.command = command, .local_work_size = &local};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
  check(16, 48, 4);
}

TEST_F(CommandBuffers, AReplayUnderWayIsNotUpdated) {
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Memory sums = make_buffer(sizeof(int));
  write<int>(sums, {0});
  cb::Owned buffer = cb::make({queue.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR |
                                                 CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
  cl_mutable_command_khr command =
      record_mutable(buffer.get(), kernel("count", sums.get(), 1), 1000);
  finalize(buffer);
  Event gate = make_user_event();
  const cl_event waits[] = {gate};
  int amount = 1;
  for (; amount <= 1000; amount *= 10) {
    cl_mutable_dispatch_arg_khr argument{1, sizeof amount, &amount};
    cb::DispatchConfig config{.command = command, .num_args = 1, .arg_list = &argument};
    EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
    EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 1, waits, nullptr), CL_SUCCESS);
  }
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(read<int>(sums, 1)[0], 1111 * 1000);
}

TEST_F(CommandBuffers, ArgumentsMayFollowAfterTheRecording) {
  Memory data = make_buffer(sizeof(int));
  write<int>(data, {4});
  cb::Owned buffer = cb::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
  Kernel step = make_kernel(program_, "step");
  const cl_properties updatable[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                     CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
  cl_mutable_command_khr command = nullptr;
  const size_t one = 1;
  ASSERT_EQ(f.launch(buffer.get(), nullptr, updatable, step, 1, nullptr, &one, nullptr, 0, nullptr,
                     nullptr, &command),
            CL_SUCCESS);
  finalize(buffer);
  EXPECT_EQ(info<cl_uint>(buffer.get(), CL_COMMAND_BUFFER_STATE_KHR), cb::state_finalized);
  EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, nullptr), CL_INVALID_OPERATION);
  cl_mem handle = data;
  const int factor = 3, summand = 2;
  const cl_mutable_dispatch_arg_khr first{0, sizeof handle, &handle};
  const cl_mutable_dispatch_arg_khr rest[] = {{1, sizeof factor, &factor},
                                              {2, sizeof summand, &summand}};
  cb::DispatchConfig config{.command = command, .num_args = 1, .arg_list = &first};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(buffer.get(), CL_COMMAND_BUFFER_STATE_KHR), cb::state_finalized);
  config = {.command = command, .num_args = 2, .arg_list = rest};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(buffer.get(), CL_COMMAND_BUFFER_STATE_KHR),
            cl_uint(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR));
  run(buffer);
  EXPECT_EQ(read<int>(data, 1)[0], 14);
}

TEST_F(CommandBuffers, AddressesAndExecutionInfoCanBeUpdated) {
  auto *memory = static_cast<int *>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0));
  ASSERT_NE(memory, nullptr);
  memory[0] = 10, memory[8] = 20;
  cb::Owned buffer = cb::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
  Kernel step = make_kernel(program_, "step");
  const int factor = 2, summand = 1;
  clSetKernelArgSVMPointer(step, 0, memory);
  clSetKernelArg(step, 1, sizeof factor, &factor);
  clSetKernelArg(step, 2, sizeof summand, &summand);
  cl_mutable_command_khr command = record_mutable(buffer.get(), step, 1);
  finalize(buffer);
  run(buffer);
  const cl_mutable_dispatch_arg_khr pointer{0, 0, memory + 8};
  void *used[] = {memory};
  const cl_mutable_dispatch_exec_info_khr used_info{CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof used,
                                                    used};
  cb::DispatchConfig config{.command = command,
                            .num_svm_args = 1,
                            .num_exec_infos = 1,
                            .arg_svm_list = &pointer,
                            .exec_info_list = &used_info};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
  run(buffer);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(memory[0], 21);
  EXPECT_EQ(memory[8], 41);
  clSVMFree(context_, memory);
}

TEST_F(CommandBuffers, HandlesTellWhatWasRecorded) {
  Memory data = make_buffer(64 * sizeof(int));
  cb::Owned buffer = cb::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
  Kernel step = kernel("step", data.get(), 2, 1);
  const size_t global[] = {4, 2}, offset[] = {1, 2};
  const cl_properties properties[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                      CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
  cl_mutable_command_khr command = nullptr;
  ASSERT_EQ(f.launch(buffer.get(), nullptr, properties, step, 2, offset, global, nullptr, 0,
                     nullptr, nullptr, &command),
            CL_SUCCESS);
  auto ask = [&](cl_uint name, auto value) {
    EXPECT_EQ(f.command_info(command, name, sizeof value, &value, nullptr), CL_SUCCESS) << name;
    return value;
  };
  using Two = std::array<size_t, 2>;
  using Three = std::array<cl_properties, 3>;
  EXPECT_EQ(ask(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, cl_command_queue()), queue_.get());
  EXPECT_EQ(ask(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, cl_command_buffer_khr()), buffer.get());
  EXPECT_EQ(ask(CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, cl_command_type()),
            cl_command_type(CL_COMMAND_NDRANGE_KERNEL));
  EXPECT_EQ(ask(CL_MUTABLE_DISPATCH_KERNEL_KHR, cl_kernel()), step.get());
  EXPECT_EQ(ask(CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, cl_uint()), 2u);
  EXPECT_EQ(ask(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, Two()), (Two{1, 2}));
  EXPECT_EQ(ask(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, Two()), (Two{4, 2}));
  EXPECT_EQ(ask(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, Two{5, 5}), (Two{0, 0}));
  EXPECT_EQ(ask(cb::command_properties_info, Three()),
            (Three{properties[0], properties[1], properties[2]}));
}

// ---- several queues

TEST_F(CommandBuffers, OnSeveralQueuesOfOneDevice) {
  Memory data = make_buffer(sizeof(int));
  write<int>(data, {1});
  Queue other = make_queue(0);
  Queue free = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const std::vector<cl_command_queue> queues{queue_, other, free};
  cb::Owned buffer = cb::make(queues, cb::flag_device_side_sync);
  cl_sync_point_khr point = 0;
  std::vector<cl_sync_point_khr> after;
  uint32_t expected = 1;
  for (uint32_t i = 0; i < 60; ++i) {
    record(buffer.get(), kernel("step", data.get(), 3, int(i)), 1, after, &point, queues[i % 3]);
    after = {point};
  }
  finalize(buffer);
  for (int replay = 0; replay < 3; ++replay) {
    for (uint32_t i = 0; i < 60; ++i)
      expected = expected * 3 + i;
    Event event;
    EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, event.out()), CL_SUCCESS);
    EXPECT_EQ(event_info<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE), nullptr);
    // Finishing any of the queues waits for the whole replay.
    EXPECT_EQ(clFinish(queues[size_t(replay)]), CL_SUCCESS);
    EXPECT_EQ(status_of(event), CL_COMPLETE);
    EXPECT_EQ(uint32_t(read<int>(data, 1)[0]), expected);
    cl_ulong time = 0;
    EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
              CL_PROFILING_INFO_NOT_AVAILABLE);
  }
}

class SubDevices : public CommandBuffers {
protected:
  void SetUp() override {
    CommandBuffers::SetUp();
    if (HasFatalFailure())
      return;
    const cl_device_partition_property one_each[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count = 0;
    ASSERT_GE(device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 2u)
        << "LOCKSTEP_THREADS=2 has them";
    ASSERT_EQ(clCreateSubDevices(device_, one_each, 0, nullptr, &count), CL_SUCCESS);
    parts_.resize(count);
    ASSERT_EQ(clCreateSubDevices(device_, one_each, count, parts_.data(), nullptr), CL_SUCCESS);
    std::vector<cl_device_id> devices(parts_.begin(), parts_.begin() + 2);
    devices.push_back(device_);
    cl_int status = 1;
    context_ = Context(clCreateContext(nullptr, 3, devices.data(), nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = make_queue(0);
    const char *text = recorded_kernels;
    program_ = Program(clCreateProgramWithSource(context_, 1, &text, nullptr, &status));
    ASSERT_EQ(clBuildProgram(program_, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS);
    for (int i = 0; i < 2; ++i)
      queues_.emplace_back(
          clCreateCommandQueueWithProperties(context_, parts_[size_t(i)], nullptr, &status));
  }
  void TearDown() override {
    for (cl_device_id part : parts_)
      clReleaseDevice(part);
  }

  std::vector<cl_device_id> parts_;
  std::vector<Queue> queues_;
};

TEST_F(SubDevices, OneCommandBufferForBoth) {
  constexpr size_t count = 1000;
  Memory a = make_buffer(count * sizeof(int)), b = make_buffer(count * sizeof(int)),
         sum = make_buffer(count * sizeof(int));
  write(a, iota(count));
  write(b, std::vector<int>(count, 1));
  cb::Owned buffer = cb::make({queues_[0], queues_[1]});
  cl_sync_point_khr points[2] = {};
  record(buffer.get(), kernel("step", a.get(), 2, 0), count, {}, &points[0], queues_[0]);
  record(buffer.get(), kernel("step", b.get(), 3, 1), count, {}, &points[1], queues_[1]);
  record(buffer.get(), kernel("add", a.get(), b.get(), sum.get()), count, {points[0], points[1]},
         nullptr, queues_[0]);
  finalize(buffer);
  int factor = 1, summand = 1;
  for (int replay = 0; replay < 3; ++replay) {
    EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queues_[1]), CL_SUCCESS);
    factor *= 2;
    summand = summand * 3 + 1;
    std::vector<int> expected = iota(count);
    for (int &value : expected)
      value = value * factor + summand;
    EXPECT_EQ(read<int>(sum, count), expected);
  }
}

TEST_F(SubDevices, ACopyRunsOnOtherQueues) {
  Memory data = make_buffer(sizeof(int));
  write<int>(data, {1});
  cb::Owned buffer = cb::make({queue_}, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_mutable_command_khr command =
      record_mutable(buffer.get(), kernel("step", data.get(), 2, 1), 1);
  record(buffer.get(), kernel("step", data.get(), 10, 0), 1);
  finalize(buffer);
  cl_mutable_command_khr copied = nullptr;
  cl_int status = 1;
  const cl_command_queue to[] = {queues_[1]};
  cb::Owned copy(f.remap(buffer.get(), CL_FALSE, 1, to, 1, &command, &copied, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(info<cl_command_queue>(copy.get(), CL_COMMAND_BUFFER_QUEUES_KHR), queues_[1].get());
  EXPECT_EQ(info<cl_uint>(copy.get(), CL_COMMAND_BUFFER_STATE_KHR),
            cl_uint(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR));
  const int factor = 7;
  const cl_mutable_dispatch_arg_khr argument{1, sizeof factor, &factor};
  cb::DispatchConfig config{.command = copied, .num_args = 1, .arg_list = &argument};
  EXPECT_EQ(f.update_one(buffer.get(), config), CL_INVALID_MUTABLE_COMMAND_KHR);
  EXPECT_EQ(f.update_one(copy.get(), config), CL_SUCCESS);
  run(copy); // (1 * 7 + 1) * 10
  EXPECT_EQ(clFinish(queues_[1]), CL_SUCCESS);
  EXPECT_EQ(read<int>(data, 1)[0], 80);
  run(buffer); // the original is unchanged
  EXPECT_EQ(read<int>(data, 1)[0], 1610);
  const cl_command_queue many[] = {queues_[0], queues_[1], queue_};
  cb::Owned automatic(f.remap(buffer.get(), CL_TRUE, 3, many, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  run(automatic);
  EXPECT_EQ(clFinish(queues_[0]), CL_SUCCESS);
  EXPECT_EQ(read<int>(data, 1)[0], 32210);
}

// Copies a command buffer that is still being recorded.
TEST_F(CommandBuffers, ACopyOfOneInTheMakingCanBeRecordedOn) {
  Queue free = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Memory data = make_buffer(sizeof(int));
  write<int>(data, {1});
  cb::Owned buffer = cb::make({free.get()});
  record(buffer.get(), kernel("step", data.get(), 2, 1), 1);
  EXPECT_EQ(f.barrier(buffer.get(), nullptr, nullptr, 0, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1;
  const cl_command_queue to[] = {free};
  cb::Owned copy(f.remap(buffer.get(), CL_FALSE, 1, to, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  record(copy.get(), kernel("step", data.get(), 10, 0), 1);
  finalize(copy);
  for (int i = 0; i < 50; ++i) {
    write<int>(data, {1});
    run(copy);
    EXPECT_EQ(clFinish(free), CL_SUCCESS);
    ASSERT_EQ(read<int>(data, 1)[0], 30);
  }
}

// Several threads enqueue, update and release their own command buffers, with kernels of one
// program.
TEST_F(CommandBuffers, FromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this] {
      Queue queue = make_queue(0);
      Memory sum = make_buffer(sizeof(int));
      const int zero = 0;
      clEnqueueWriteBuffer(queue, sum, CL_TRUE, 0, sizeof zero, &zero, 0, nullptr, nullptr);
      int expected = 0;
      for (int round = 0; round < 20; ++round) {
        cb::Owned buffer = cb::make({queue.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
        cl_mutable_command_khr command =
            record_mutable(buffer.get(), kernel("count", sum.get(), 1), 10);
        EXPECT_EQ(f.finalize(buffer.get()), CL_SUCCESS);
        for (int i = 1; i <= 5; ++i) {
          cl_mutable_dispatch_arg_khr argument{1, sizeof i, &i};
          cb::DispatchConfig config{.command = command, .num_args = 1, .arg_list = &argument};
          EXPECT_EQ(f.update_one(buffer.get(), config), CL_SUCCESS);
          run(buffer);
          expected += 10 * i;
        }
      }
      int got = 0;
      clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, sizeof got, &got, 0, nullptr, nullptr);
      EXPECT_EQ(got, expected);
    });
  for (auto &thread : threads)
    thread.join();
}

} // namespace
} // namespace lockstep::test
