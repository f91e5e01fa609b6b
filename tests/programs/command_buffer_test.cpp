// Command buffers: what is recorded once runs as often as it is enqueued, in the order that was recorded.
#include "command_buffer_fixture.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

namespace lockstep::test {
namespace {

namespace cb = command_buffers;

constexpr const char *source = R"(
kernel void step(global int *data, int factor, int summand) {
  const size_t i = get_global_id(0);
  data[i] = data[i] * factor + summand;
}
kernel void add(global const int *a, global const int *b, global int *to) {
  const size_t i = get_global_id(0);
  to[i] = a[i] + b[i];
}
kernel void where(global int *to, global int *groups) {
  to[get_global_id(0)] = (int)get_global_id(0) + 1;
  if (get_local_id(0) == 0)
    groups[get_group_id(0)] = (int)get_local_size(0);
}
kernel void count(global int *to, int amount) { atomic_add(to, amount); }
kernel void wait_for(global atomic_int *flag, global int *to) {
  while (atomic_load(flag) == 0)
    ;
  to[0] = 1;
}
kernel void say(int what) { printf("said %d\n", what); }
)";

class CommandBuffers : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    program_ = build(source, "-cl-std=CL3.0");
  }

  template <class... Arguments> Kernel kernel(const char *name, const Arguments &...arguments) {
    Kernel made = make_kernel(program_, name);
    cl_uint index = 0;
    cl_int status = CL_SUCCESS;
    ((status |= clSetKernelArg(made, index++, sizeof arguments, &arguments)), ...);
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }
  void record(cl_command_buffer_khr buffer, cl_kernel launched, size_t items,
              const std::vector<cl_sync_point_khr> &after = {}, cl_sync_point_khr *point = nullptr,
              cl_command_queue queue = nullptr) {
    EXPECT_EQ(f.launch(buffer, queue, nullptr, launched, 1, nullptr, &items, nullptr,
                       cl_uint(after.size()), after.empty() ? nullptr : after.data(), point,
                       nullptr),
              CL_SUCCESS);
  }
  cl_mutable_command_khr record_mutable(cl_command_buffer_khr buffer, cl_kernel launched,
                                        size_t items, size_t local = 0) {
    cl_mutable_command_khr command = nullptr;
    EXPECT_EQ(f.launch(buffer, nullptr, nullptr, launched, 1, nullptr, &items,
                       local ? &local : nullptr, 0, nullptr, nullptr, &command),
              CL_SUCCESS);
    EXPECT_NE(command, nullptr);
    return command;
  }
  void finalize(const cb::Owned &buffer) { ASSERT_EQ(f.finalize(buffer.get()), CL_SUCCESS); }
  void run(const cb::Owned &buffer) {
    EXPECT_EQ(f.enqueue(0, nullptr, buffer.get(), 0, nullptr, nullptr), CL_SUCCESS);
  }
  template <class T> T info(cl_command_buffer_khr buffer, cl_uint name) {
    T value{};
    EXPECT_EQ(f.info(buffer, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
  std::vector<int> iota(size_t count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
  }

  const cb::Functions &f = cb::functions();
  Program program_;
};

TEST_F(CommandBuffers, DeviceAndPlatformSayWhatTheyCan) {
  const auto capabilities = device_info<cl_bitfield>(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
  EXPECT_EQ(capabilities, cl_bitfield(CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR |
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

// Each command but the first depends on the one before, by the queue or by sync points.
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

// Random commands on a few arrays, each after those that it conflicts with; the host does the same one by one.
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
    std::vector<std::vector<cl_sync_point_khr>> users(arrays); // since and with the last write
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
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(std::vector<int>(memory, memory + 2 * count), std::vector<int>(2 * count, 77));
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

// A launch that waits for what a later one in the buffer would write ends with a verdict; one that nothing stops, after it, runs.
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
  // Now the flag is set, so the next replay ends.
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
      Program program = build(source, "-cl-std=CL3.0");
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
  // The kernel is as it was.
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
    // Whichever queue is asked, the whole is part of it.
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
    if (device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS) < 2)
      GTEST_SKIP() << "the device cannot be divided";
    ASSERT_EQ(clCreateSubDevices(device_, one_each, 0, nullptr, &count), CL_SUCCESS);
    parts_.resize(count);
    ASSERT_EQ(clCreateSubDevices(device_, one_each, count, parts_.data(), nullptr), CL_SUCCESS);
    std::vector<cl_device_id> devices(parts_.begin(), parts_.begin() + 2);
    devices.push_back(device_);
    cl_int status = 1;
    context_ = Context(clCreateContext(nullptr, 3, devices.data(), nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = make_queue(0);
    const char *text = source;
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
  run(buffer); // the original is as it was
  EXPECT_EQ(read<int>(data, 1)[0], 1610);
  const cl_command_queue many[] = {queues_[0], queues_[1], queue_};
  cb::Owned automatic(f.remap(buffer.get(), CL_TRUE, 3, many, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  run(automatic);
  EXPECT_EQ(clFinish(queues_[0]), CL_SUCCESS);
  EXPECT_EQ(read<int>(data, 1)[0], 32210);
}

// While one is recorded.
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

// Threads that enqueue, update and release command buffers of their own, with kernels of one program.
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
