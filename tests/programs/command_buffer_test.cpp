// Tests command buffers: each enqueue runs the recorded commands, in the recorded order.
#include "recorded_kernels.h"

#include <algorithm>
#include <functional>
#include <random>
#include <thread>

namespace lockstep::test {
namespace {

TEST_F(CommandBuffers, DeviceAndPlatformSayWhatTheyCan) {
  const auto capabilities = device_info<cl_bitfield>(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
  const bool enqueues = device_info<cl_bitfield>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != 0;
  EXPECT_EQ(capabilities, cl_bitfield(CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR |
                                      (enqueues ? cb::capability_device_side_enqueue : 0) |
                                      CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
                                      cb::capability_multiple_queue));
  EXPECT_EQ(device_info<cl_bitfield>(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR), 0u);
  EXPECT_EQ(device_info<cl_bitfield>(cb::supported_queue_properties),
            device_info<cl_bitfield>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES));
  EXPECT_EQ(device_info<cl_bitfield>(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR), 31u);
  const auto count = device_info<cl_uint>(cb::num_sync_devices);
  ASSERT_GE(count, 1u);
  std::vector<cl_device_id> devices(count);
  ASSERT_EQ(clGetDeviceInfo(device_, cb::sync_devices, count * sizeof(cl_device_id), devices.data(),
                            nullptr),
            CL_SUCCESS);
  EXPECT_NE(std::find(devices.begin(), devices.end(), device_), devices.end());
  cl_bitfield platform = 0;
  EXPECT_EQ(clGetPlatformInfo(find_platform(), cb::platform_capabilities, sizeof platform,
                              &platform, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(platform, 7u);
}

TEST_F(CommandBuffers, RunAsOftenAsTheyAreEnqueued) {
  constexpr size_t count = 1000;
  Memory in = make_buffer(count * sizeof(int)), out = make_buffer(count * sizeof(int));
  Kernel step = kernel("step", in.get(), 3, 7);
  cb::Owned buffer = cb::make({queue_.get()});
  EXPECT_EQ(info<cl_uint>(buffer.get(), CL_COMMAND_BUFFER_STATE_KHR),
            cl_uint(CL_COMMAND_BUFFER_STATE_RECORDING_KHR));
  record(buffer.get(), step, count);
  EXPECT_EQ(f.copy(buffer.get(), nullptr, nullptr, in.get(), out.get(), 0, 0, count * sizeof(int),
                   0, nullptr, nullptr, nullptr),
            CL_SUCCESS);
  finalize(buffer);
  EXPECT_EQ(info<cl_uint>(buffer.get(), CL_COMMAND_BUFFER_STATE_KHR),
            cl_uint(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR));
  std::vector<int> expected = iota(count);
  write(in, expected);
  for (int replay = 0; replay < 5; ++replay) {
    for (int &value : expected)
      value = value * 3 + 7;
    run(buffer);
    EXPECT_EQ(read<int>(out, count), expected);
  }
}

TEST_F(CommandBuffers, ArgumentsAreThoseOfTheRecording) {
  Memory data = make_buffer(sizeof(int));
  write<int>(data, {10});
  Kernel step = kernel("step", data.get(), 2, 1);
  cb::Owned buffer = cb::make({queue_.get()});
  record(buffer.get(), step, 1);
  const int other = 100;
  clSetKernelArg(step, 1, sizeof other, &other);
  record(buffer.get(), step, 1);
  clSetKernelArg(step, 2, sizeof other, &other);
  finalize(buffer);
  run(buffer);
  EXPECT_EQ(read<int>(data, 1)[0], (10 * 2 + 1) * 100 + 1);
}

// Each command depends on the previous one, by an in-order queue or by sync points.
TEST_F(CommandBuffers, ChainsKeepTheirOrder) {
  constexpr int length = 300;
  Memory data = make_buffer(sizeof(int));
  for (const bool in_order : {true, false}) {
    Queue queue = make_queue(in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cb::Owned buffer = cb::make({queue.get()});
    Kernel step = kernel("step", data.get(), 3, 0);
    std::vector<cl_sync_point_khr> after;
    for (int i = 0; i < length; ++i) {
      clSetKernelArg(step, 2, sizeof i, &i);
      cl_sync_point_khr point = 0;
      record(buffer.get(), step, 1, after, &point);
      if (!in_order)
        after = {point};
    }
    finalize(buffer);
    write<int>(data, {5});
    uint32_t expected = 5;
    for (int replay = 0; replay < 3; ++replay) {
      for (uint32_t i = 0; i < length; ++i)
        expected = expected * 3 + i;
      Event event;
      EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, event.out()), CL_SUCCESS);
      EXPECT_EQ(clWaitForEvents(1, &*std::array{event.get()}.begin()), CL_SUCCESS);
    }
    EXPECT_EQ(uint32_t(read<int>(data, 1)[0]), expected) << in_order;
  }
}

TEST_F(CommandBuffers, BarriersStandBetweenWhatIsBeforeAndBehind) {
  constexpr size_t count = 64;
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Memory data = make_buffer(count * sizeof(int));
  write(data, std::vector<int>(count, 1));
  cb::Owned buffer = cb::make({queue.get()});
  std::vector<Memory> parts;
  for (size_t i = 0; i < count; i += 32)
    parts.push_back(make_sub_buffer(data, i * sizeof(int), 32 * sizeof(int)));
  for (int round = 0; round < 20; ++round) {
    for (const Memory &part : parts)
      record(buffer.get(), kernel("step", part.get(), 2, round), 32);
    EXPECT_EQ(f.barrier(buffer.get(), nullptr, nullptr, 0, nullptr, nullptr, nullptr), CL_SUCCESS);
    record(buffer.get(), kernel("step", data.get(), -1, 3), count);
    cl_sync_point_khr point = 0;
    EXPECT_EQ(f.barrier(buffer.get(), nullptr, nullptr, 0, nullptr, &point, nullptr), CL_SUCCESS);
    EXPECT_EQ(f.barrier(buffer.get(), nullptr, nullptr, 1, &point, nullptr, nullptr), CL_SUCCESS);
  }
  finalize(buffer);
  uint32_t expected = 1;
  for (int replay = 0; replay < 10; ++replay) {
    for (uint32_t round = 0; round < 20; ++round)
      expected = 3 - (expected * 2 + round);
    EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(read<int>(data, count), std::vector<int>(count, int(expected)));
  }
}

// Random commands on a few arrays, each after the commands it conflicts with. The host executes
// them serially for comparison.
TEST_F(CommandBuffers, RandomGraphsComputeWhatTheHostComputes) {
  constexpr size_t arrays = 5, items = 96;
  std::mt19937 random(11);
  for (int graph = 0; graph < 12; ++graph) {
    Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cb::Owned buffer = cb::make({queue.get()});
    std::vector<Memory> memories;
    std::vector<std::vector<int>> model;
    for (size_t i = 0; i < arrays; ++i) {
      memories.push_back(make_buffer(items * sizeof(int)));
      model.push_back(iota(items));
      write(memories.back(), model.back());
    }
    std::vector<std::vector<cl_sync_point_khr>> users(arrays); // since the last write, inclusive
    std::vector<std::function<void()>> steps;
    for (int command = 0; command < 40; ++command) {
      const size_t a = random() % arrays, b = random() % arrays, c = random() % arrays;
      std::vector<cl_sync_point_khr> after;
      auto uses = [&](size_t array) {
        after.insert(after.end(), users[array].begin(), users[array].end());
      };
      cl_sync_point_khr point = 0;
      const cl_sync_point_khr *list = nullptr;
      auto count = [&] {
        list = after.empty() ? nullptr : after.data();
        return cl_uint(after.size());
      };
      switch (random() % 4) {
      case 0: {
        const int factor = int(random() % 7), summand = int(random() % 100);
        uses(a);
        record(buffer.get(), kernel("step", memories[a].get(), factor, summand), items, after,
               &point);
        steps.emplace_back([&model, a, factor, summand] {
          for (int &value : model[a])
            value = int(uint32_t(value) * uint32_t(factor) + uint32_t(summand));
        });
        users[a] = {point};
        break;
      }
      case 1:
        if (a == c || b == c)
          continue;
        uses(a), uses(b), uses(c);
        record(buffer.get(), kernel("add", memories[a].get(), memories[b].get(), memories[c].get()),
               items, after, &point);
        steps.emplace_back([&model, a, b, c] {
          for (size_t i = 0; i < items; ++i)
            model[c][i] = int(uint32_t(model[a][i]) + uint32_t(model[b][i]));
        });
        users[a].push_back(point), users[b].push_back(point);
        users[c] = {point};
        break;
      case 2:
        if (a == b)
          continue;
        uses(a), uses(b);
        EXPECT_EQ(f.copy(buffer.get(), nullptr, nullptr, memories[a], memories[b], 16, 32,
                         40 * sizeof(int), count(), list, &point, nullptr),
                  CL_SUCCESS);
        steps.emplace_back(
            [&model, a, b] { std::copy_n(model[a].begin() + 4, 40, model[b].begin() + 8); });
        users[a].push_back(point);
        users[b] = {point};
        break;
      default: {
        const int value = int(random() % 1000);
        uses(a);
        EXPECT_EQ(f.fill(buffer.get(), nullptr, nullptr, memories[a], &value, sizeof value, 64,
                         20 * sizeof(int), count(), list, &point, nullptr),
                  CL_SUCCESS);
        steps.emplace_back([&model, a, value] { std::fill_n(model[a].begin() + 16, 20, value); });
        users[a] = {point};
      }
      }
    }
    finalize(buffer);
    for (int replay = 0; replay < 4; ++replay) {
      EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
      for (const auto &step : steps)
        step();
      for (size_t i = 0; i < arrays; ++i)
        ASSERT_EQ(read<int>(memories[i], items), model[i]) << graph << " " << i;
    }
  }
}

TEST_F(CommandBuffers, BoxesAndImages) {
  constexpr size_t width = 8, height = 6;
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = width;
  desc.image_height = height;
  cl_int status = 1;
  Memory one(clCreateImage(context_, CL_MEM_READ_WRITE, &format, &desc, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  Memory other(clCreateImage(context_, CL_MEM_READ_WRITE, &format, &desc, nullptr, &status));
  Memory from = make_buffer(width * height * 4), to = make_buffer(width * height * 4);
  Memory box = make_buffer(16 * 16);
  std::vector<cl_uchar> bytes(width * height * 4), grid(16 * 16);
  std::iota(bytes.begin(), bytes.end(), cl_uchar(1));
  std::iota(grid.begin(), grid.end(), cl_uchar(0));
  write(from, bytes);
  write(box, grid);

  const size_t origin[3] = {}, region[3] = {width, height, 1};
  const size_t inner[3] = {2, 1, 0}, part[3] = {3, 2, 1};
  const cl_uint color[4] = {9, 8, 7, 6};
  const size_t source[3] = {1, 2, 0}, target[3] = {8, 9, 0}, size[3] = {4, 5, 1};
  cb::Owned buffer = cb::make({queue_.get()});
  cl_command_buffer_khr b = buffer.get();
  EXPECT_EQ(f.copy_to_image(b, nullptr, nullptr, from, one, 0, origin, region, 0, nullptr, nullptr,
                            nullptr),
            CL_SUCCESS);
  EXPECT_EQ(
      f.fill_image(b, nullptr, nullptr, one, color, inner, part, 0, nullptr, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(f.copy_image(b, nullptr, nullptr, one, other, origin, origin, region, 0, nullptr,
                         nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(f.copy_from_image(b, nullptr, nullptr, other, to, origin, region, 0, 0, nullptr,
                              nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(f.copy_rect(b, nullptr, nullptr, box, box, source, target, size, 16, 0, 16, 0, 0,
                        nullptr, nullptr, nullptr),
            CL_SUCCESS);
  finalize(buffer);
  run(buffer);
  for (size_t y = 0; y < 2; ++y)
    for (size_t x = 0; x < 3; ++x)
      for (size_t c = 0; c < 4; ++c)
        bytes[((y + 1) * width + x + 2) * 4 + c] = cl_uchar(color[c]);
  for (size_t y = 0; y < 5; ++y)
    for (size_t x = 0; x < 4; ++x)
      grid[(y + 9) * 16 + x + 8] = cl_uchar((y + 2) * 16 + x + 1);
  EXPECT_EQ(read<cl_uchar>(to, bytes.size()), bytes);
  EXPECT_EQ(read<cl_uchar>(box, grid.size()), grid);
}

TEST_F(CommandBuffers, SharedVirtualMemory) {
  constexpr size_t count = 64;
  auto *memory = static_cast<int *>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 256 * sizeof(int), 0));
  ASSERT_NE(memory, nullptr);
  cb::Owned buffer = cb::make({queue_.get()});
  const int pattern = 77;
  EXPECT_EQ(f.svm_fill(buffer.get(), nullptr, nullptr, memory, &pattern, sizeof pattern,
                       count * sizeof(int), 0, nullptr, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(f.svm_copy(buffer.get(), nullptr, nullptr, memory + count, memory, count * sizeof(int),
                       0, nullptr, nullptr, nullptr),
            CL_SUCCESS);
  finalize(buffer);
  run(buffer);
  EXPECT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, memory, 2 * count * sizeof(int), 0,
                            nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(std::vector<int>(memory, memory + 2 * count), std::vector<int>(2 * count, 77));
  EXPECT_EQ(clEnqueueSVMUnmap(queue_, memory, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  clSVMFree(context_, memory);
}

TEST_F(CommandBuffers, AnEventStandsForTheWhole) {
  Queue profiled = make_queue(CL_QUEUE_PROFILING_ENABLE);
  Memory data = make_buffer(sizeof(int));
  write<int>(data, {1});
  cb::Owned buffer = cb::make({queue_.get()});
  record(buffer.get(), kernel("step", data.get(), 2, 3), 1);
  record(buffer.get(), kernel("step", data.get(), 2, 3), 1);
  finalize(buffer);
  Event gate = make_user_event(), event;
  cl_command_queue queue = profiled;
  const cl_event waits[] = {gate};
  ASSERT_EQ(f.enqueue(1, &queue, buffer.get(), 1, waits, event.out()), CL_SUCCESS);
  EXPECT_EQ(event_info<cl_command_type>(event, CL_EVENT_COMMAND_TYPE),
            cl_command_type(CL_COMMAND_COMMAND_BUFFER_KHR));
  EXPECT_EQ(event_info<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE), profiled.get());
  EXPECT_EQ(event_info<cl_context>(event, CL_EVENT_CONTEXT), context_.get());
  EXPECT_GT(status_of(event), CL_RUNNING);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  const cl_event done[] = {event};
  EXPECT_EQ(clWaitForEvents(1, done), CL_SUCCESS);
  EXPECT_EQ(read<int>(data, 1)[0], (1 * 2 + 3) * 2 + 3);
  cl_ulong last = 0;
  for (const cl_profiling_info name : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END}) {
    cl_ulong time = 0;
    EXPECT_EQ(clGetEventProfilingInfo(event, name, sizeof time, &time, nullptr), CL_SUCCESS);
    EXPECT_GE(time, last);
    last = time;
  }
  Event plain;
  ASSERT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, plain.out()), CL_SUCCESS);
  clFinish(queue_);
  cl_ulong time = 0;
  EXPECT_EQ(clGetEventProfilingInfo(plain, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
            CL_PROFILING_INFO_NOT_AVAILABLE);
}

TEST_F(CommandBuffers, AFailedWaitListIsTheFailureOfTheWhole) {
  Memory data = make_buffer(sizeof(int));
  write<int>(data, {1});
  cb::Owned buffer = cb::make({queue_.get()});
  record(buffer.get(), kernel("step", data.get(), 2, 3), 1);
  finalize(buffer);
  Event gate = make_user_event(), event;
  const cl_event waits[] = {gate};
  ASSERT_EQ(f.enqueue(0, nullptr, buffer.get(), 1, waits, event.out()), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(gate, -42), CL_SUCCESS);
  const cl_event done[] = {event};
  EXPECT_EQ(clWaitForEvents(1, done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(status_of(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(read<int>(data, 1)[0], 1);
}

// The first launch waits for a value that a later launch of the buffer would write, so deadlock
// detection ends it. A launch after the failure still runs.
TEST_F(CommandBuffers, ADeadlockIsTheFailureOfTheWhole) {
  Memory flag = make_buffer(sizeof(int)), to = make_buffer(sizeof(int)),
         other = make_buffer(sizeof(int));
  write<int>(flag, {0});
  write<int>(to, {0});
  write<int>(other, {1});
  cb::Owned buffer = cb::make({queue_.get()});
  record(buffer.get(), kernel("wait_for", flag.get(), to.get()), 1);
  record(buffer.get(), kernel("step", flag.get(), 0, 1), 1);
  record(buffer.get(), kernel("step", other.get(), 2, 3), 1);
  finalize(buffer);
  Event event;
  ASSERT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, event.out()), CL_SUCCESS);
  const cl_event done[] = {event};
  EXPECT_EQ(clWaitForEvents(1, done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(status_of(event), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(read<int>(to, 1)[0], 0);
  EXPECT_EQ(read<int>(other, 1)[0], 5);
  // Now the flag is set, so the next replay completes.
  ASSERT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, event.out()), CL_SUCCESS);
  const cl_event again[] = {event};
  EXPECT_EQ(clWaitForEvents(1, again), CL_SUCCESS);
  EXPECT_EQ(read<int>(to, 1)[0], 1);
}

TEST_F(CommandBuffers, NothingThatTheProgramReleasesIsMissed) {
  constexpr size_t count = 512;
  Memory data = make_buffer(count * sizeof(int));
  write(data, iota(count));
  Event gate = make_user_event(), event;
  {
    Queue queue = make_queue(0);
    cb::Owned buffer = cb::make({queue.get()});
    {
      Program program = build(recorded_kernels, "-cl-std=CL3.0");
      Kernel step = make_kernel(program, "step");
      const int factor = 2, summand = 5;
      clSetKernelArg(step, 0, sizeof(cl_mem), &*std::array{data.get()}.begin());
      clSetKernelArg(step, 1, sizeof factor, &factor);
      clSetKernelArg(step, 2, sizeof summand, &summand);
      record(buffer.get(), step, count);
    }
    finalize(buffer);
    const cl_event waits[] = {gate};
    ASSERT_EQ(f.enqueue(0, nullptr, buffer.get(), 1, waits, event.out()), CL_SUCCESS);
  }
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  const cl_event done[] = {event};
  EXPECT_EQ(clWaitForEvents(1, done), CL_SUCCESS);
  std::vector<int> expected = iota(count);
  for (int &value : expected)
    value = value * 2 + 5;
  EXPECT_EQ(read<int>(data, count), expected);
}

TEST_F(CommandBuffers, InfoTellsWhatTheyWereMadeOf) {
  cb::Owned buffer = cb::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
  EXPECT_EQ(info<cl_uint>(buffer.get(), CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 1u);
  EXPECT_EQ(info<cl_command_queue>(buffer.get(), CL_COMMAND_BUFFER_QUEUES_KHR), queue_.get());
  EXPECT_EQ(info<cl_context>(buffer.get(), cb::context_info), context_.get());
  EXPECT_EQ(f.retain(buffer.get()), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(buffer.get(), CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 2u);
  EXPECT_EQ(f.release(buffer.get()), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(buffer.get(), CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 1u);
  using Properties = std::array<cl_properties, 3>;
  EXPECT_EQ(info<Properties>(buffer.get(), CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR),
            (Properties{CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0}));
  cb::Owned plain = cb::make({queue_.get()});
  size_t size = 1;
  EXPECT_EQ(f.info(plain.get(), CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, 0, nullptr, &size),
            CL_SUCCESS);
  EXPECT_EQ(size, 0u);
}

} // namespace
} // namespace lockstep::test
