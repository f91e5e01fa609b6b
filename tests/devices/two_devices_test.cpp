// Tests the CPU and a device with its own memory in one context: buffers, copies, maps, kernels and
// events behave as if there were one memory.
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/platform.h"
#include "other_device.h"
#include "tests/programs/late_notifications.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace lockstep::opencl {
namespace {

using test::other_counts;
using Values = std::vector<cl_int>;

const char *const source = R"(
  kernel void mix(global int *to, global const int *from, int factor) {
    size_t i = get_global_id(0);
    to[i] = to[i] * 3 + from[i] * factor;
  })";

enum Place { cpu, other };

class TwoDevices : public testing::Test {
protected:
  TwoDevices() {
    static const cl_device_id both[] = {
        the_platform()->first, create_object<_cl_device_id>(the_platform(), test::other_device())};
    context_ = opencl::clCreateContext(nullptr, 2, both, test::LateNotifications::receive,
                                       heard_.user_data(), nullptr);
    for (int place : {cpu, other})
      for (int is_out_of_order : {0, 1}) {
        const cl_queue_properties properties[] = {
            CL_QUEUE_PROPERTIES,
            is_out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : cl_queue_properties{0}, 0};
        queues_[place][is_out_of_order] =
            opencl::clCreateCommandQueueWithProperties(context_, both[place], properties, nullptr);
      }
    const char *text = source;
    program_ = opencl::clCreateProgramWithSource(context_, 1, &text, nullptr, nullptr);
    EXPECT_EQ(opencl::clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    mix_ = opencl::clCreateKernel(program_, "mix", nullptr);
    test::reset_other_counts();
  }
  ~TwoDevices() override {
    for (auto &of_device : queues_)
      for (cl_command_queue queue : of_device) {
        EXPECT_EQ(opencl::clFinish(queue), CL_SUCCESS);
        EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
      }
    for (cl_mem buffer : buffers_)
      EXPECT_EQ(opencl::clReleaseMemObject(buffer), CL_SUCCESS);
    for (cl_event event : events_)
      EXPECT_EQ(opencl::clReleaseEvent(event), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseKernel(mix_), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseProgram(program_), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseContext(context_), CL_SUCCESS);
  }

  cl_mem make(const Values &values) {
    cl_mem buffer =
        opencl::clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, values.size() * sizeof(cl_int),
                               const_cast<cl_int *>(values.data()), nullptr);
    buffers_.push_back(buffer);
    return buffer;
  }
  cl_mem part(cl_mem buffer, size_t first, size_t count) {
    const cl_buffer_region region{first * sizeof(cl_int), count * sizeof(cl_int)};
    cl_int status;
    buffers_.push_back(
        opencl::clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return buffers_.back();
  }
  // Reads to the host with a blocking command in a queue of the CPU.
  Values read(cl_mem buffer, size_t count) {
    Values values(count);
    EXPECT_EQ(opencl::clEnqueueReadBuffer(queues_[cpu][0], buffer, CL_TRUE, 0,
                                          count * sizeof(cl_int), values.data(), 0, nullptr,
                                          nullptr),
              CL_SUCCESS);
    return values;
  }
  cl_event mix(cl_command_queue queue, cl_mem to, cl_mem from, cl_int factor, size_t count,
               const std::vector<cl_event> &after = {}) {
    EXPECT_EQ(opencl::clSetKernelArg(mix_, 0, sizeof to, &to), CL_SUCCESS);
    EXPECT_EQ(opencl::clSetKernelArg(mix_, 1, sizeof from, &from), CL_SUCCESS);
    EXPECT_EQ(opencl::clSetKernelArg(mix_, 2, sizeof factor, &factor), CL_SUCCESS);
    cl_event event = nullptr;
    EXPECT_EQ(opencl::clEnqueueNDRangeKernel(queue, mix_, 1, nullptr, &count, nullptr,
                                             cl_uint(after.size()),
                                             after.empty() ? nullptr : after.data(), &event),
              CL_SUCCESS);
    events_.push_back(event);
    return event;
  }
  static void mix(Values &to, const Values &from, cl_int factor) {
    for (size_t i = 0; i < from.size(); ++i)
      to[i] = to[i] * 3 + from[i] * factor;
  }

  cl_context context_;
  cl_command_queue queues_[2][2]; // by device; [1] is out of order
  cl_program program_;
  cl_kernel mix_;
  std::vector<cl_mem> buffers_;
  std::vector<cl_event> events_;
  test::LateNotifications heard_;
};

Values numbers(size_t count, cl_int first) {
  Values values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST_F(TwoDevices, TakeTurnsWithABuffer) {
  Values expected = numbers(1000, 1), other_values = numbers(1000, 7);
  cl_mem buffer = make(expected), from = make(other_values);
  cl_event last = nullptr;
  for (cl_int turn = 0; turn < 6; ++turn) {
    last = mix(queues_[turn % 2][0], buffer, from, turn, 1000,
               last ? std::vector{last} : std::vector<cl_event>());
    mix(expected, other_values, turn);
  }
  ASSERT_EQ(opencl::clWaitForEvents(1, &last), CL_SUCCESS);
  EXPECT_EQ(read(buffer, 1000), expected);
}

TEST_F(TwoDevices, CopyOnlyWhatIsStale) {
  const Values values = numbers(1000, 1);
  cl_mem buffer = make(values), from = make(values);
  for (int i = 0; i < 5; ++i)
    mix(queues_[other][0], buffer, from, 1, 1000);
  ASSERT_EQ(opencl::clFinish(queues_[other][0]), CL_SUCCESS);
  EXPECT_EQ(other_counts().written, 2 * 4000u);
  EXPECT_EQ(other_counts().read_back, 0u);
  read(from, 1000); // the device only read it
  EXPECT_EQ(other_counts().read_back, 0u);
  read(buffer, 10); // transfers ten elements only
  EXPECT_EQ(other_counts().read_back, 40u);
  read(buffer, 1000);
  EXPECT_EQ(other_counts().read_back, 4000u);
  // The write replaces the whole buffer, so the old contents need no transfer.
  ASSERT_EQ(opencl::clEnqueueWriteBuffer(queues_[cpu][0], buffer, CL_TRUE, 0, 4000, values.data(),
                                         0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(other_counts().read_back, 4000u);
}

TEST_F(TwoDevices, BuffersOfTheCpuStayThere) {
  const size_t before = other_counts().allocations;
  cl_mem buffer = make(numbers(100, 0)), from = make(numbers(100, 0));
  mix(queues_[cpu][0], buffer, from, 1, 100);
  read(buffer, 100);
  EXPECT_EQ(other_counts().allocations, before);
}

TEST_F(TwoDevices, ACopyEndsWithItsBuffer) {
  const size_t before = other_counts().allocations;
  cl_mem buffer = make(numbers(100, 0));
  mix(queues_[other][0], buffer, buffer, 1, 100);
  ASSERT_EQ(opencl::clFinish(queues_[other][0]), CL_SUCCESS);
  EXPECT_EQ(other_counts().allocations, before + 1);
  buffers_.clear();
  ASSERT_EQ(opencl::clReleaseMemObject(buffer), CL_SUCCESS);
  EXPECT_EQ(other_counts().allocations, before);
}

// Both devices write to different halves of a buffer, without an order between them.
TEST_F(TwoDevices, WriteDifferentPartsAtOnce) {
  Values expected[2] = {numbers(4096, 1), numbers(4096, 5)};
  Values whole = expected[0];
  whole.insert(whole.end(), expected[1].begin(), expected[1].end());
  cl_mem buffer = make(whole), from = make(numbers(4096, 3));
  cl_mem parts[] = {part(buffer, 0, 4096), part(buffer, 4096, 4096)};
  for (cl_int round = 0; round < 50; ++round)
    for (int place : {cpu, other}) {
      mix(queues_[place][0], parts[place], from, round, 4096);
      mix(expected[place], numbers(4096, 3), round);
    }
  for (int place : {cpu, other})
    ASSERT_EQ(opencl::clFinish(queues_[place][0]), CL_SUCCESS);
  EXPECT_EQ(read(parts[cpu], 4096), expected[cpu]);
  EXPECT_EQ(read(parts[other], 4096), expected[other]);
}

TEST_F(TwoDevices, MapsSeeAndShowWhatWasWritten) {
  Values expected = numbers(64, 1), from_values = numbers(64, 2);
  cl_mem buffer = make(expected), from = make(from_values);
  mix(queues_[other][0], buffer, from, 5, 64);
  mix(expected, from_values, 5);
  cl_int status;
  auto *mapped = static_cast<cl_int *>(
      opencl::clEnqueueMapBuffer(queues_[other][0], buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                 256, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(Values(mapped, mapped + 64), expected);
  mapped[5] = expected[5] = 1234;
  ASSERT_EQ(opencl::clEnqueueUnmapMemObject(queues_[other][0], buffer, mapped, 0, nullptr, nullptr),
            CL_SUCCESS);
  mix(queues_[other][0], buffer, from, 7, 64);
  mix(expected, from_values, 7);
  ASSERT_EQ(opencl::clFinish(queues_[other][0]), CL_SUCCESS);
  EXPECT_EQ(read(buffer, 64), expected);
}

TEST_F(TwoDevices, MigrationsMoveAhead) {
  cl_mem buffer = make(numbers(100, 0));
  ASSERT_EQ(
      opencl::clEnqueueMigrateMemObjects(queues_[other][0], 1, &buffer, 0, 0, nullptr, nullptr),
      CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queues_[other][0]), CL_SUCCESS);
  EXPECT_EQ(other_counts().written, 400u);
  mix(queues_[other][0], buffer, buffer, 1, 100);
  ASSERT_EQ(opencl::clFinish(queues_[other][0]), CL_SUCCESS);
  EXPECT_EQ(other_counts().written, 400u);
  ASSERT_EQ(opencl::clEnqueueMigrateMemObjects(queues_[other][0], 1, &buffer,
                                               CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(opencl::clFinish(queues_[other][0]), CL_SUCCESS);
  EXPECT_EQ(other_counts().read_back, 400u);
  EXPECT_EQ(read(buffer, 100)[3], 12);
}

// The command enqueued first runs last. The runtime must choose the valid copy when a command
// becomes ready, not when the host enqueues it.
TEST_F(TwoDevices, AreRightIfEnqueuedTheOtherWayRound) {
  Values expected = numbers(100, 1);
  const Values from_values = numbers(100, 2);
  cl_mem buffer = make(expected), from = make(from_values);
  cl_event gate = opencl::clCreateUserEvent(context_, nullptr);
  events_.push_back(gate);
  cl_event second = mix(queues_[cpu][1], buffer, from, 2, 100, {gate});
  cl_event first = mix(queues_[other][1], buffer, from, 1, 100);
  ASSERT_EQ(opencl::clWaitForEvents(1, &first), CL_SUCCESS);
  ASSERT_EQ(opencl::clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(opencl::clWaitForEvents(1, &second), CL_SUCCESS);
  mix(expected, from_values, 1);
  mix(expected, from_values, 2);
  EXPECT_EQ(read(buffer, 100), expected);
}

TEST_F(TwoDevices, ATransferThatFailsFailsItsCommand) {
  Values expected = numbers(100, 1);
  cl_mem buffer = make(expected);
  test::let_transfers_fail(true);
  cl_event fails = mix(queues_[other][0], buffer, buffer, 2, 100);
  EXPECT_EQ(opencl::clWaitForEvents(1, &fails), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_TRUE(heard_.have(test::transfer_failure)) << heard_.all();
  test::let_transfers_fail(false);
  // The data is still there.
  cl_event works = mix(queues_[other][0], buffer, buffer, 2, 100);
  EXPECT_EQ(opencl::clWaitForEvents(1, &works), CL_SUCCESS);
  mix(expected, Values(expected), 2);
  EXPECT_EQ(read(buffer, 100), expected);
}

// ---- random graphs, compared with serial execution

struct RandomGraph {
  static constexpr size_t buffers = 5, halves = 2, size = 1024; // elements per half
  Values values[buffers][halves];
  // For each half of each buffer: indices of the commands that wrote and read it last.
  int writer[buffers][halves];
  std::vector<int> readers[buffers][halves];
  std::vector<cl_event> events;

  // Appends all commands that must complete before a command that reads or writes this half.
  void conflicts(int buffer, int half, bool writes, std::vector<cl_event> &list) {
    if (writer[buffer][half] >= 0)
      list.push_back(events[writer[buffer][half]]);
    if (writes)
      for (int reader : readers[buffer][half])
        list.push_back(events[reader]);
  }
  void done(int buffer, int half, bool writes) {
    const int command = int(events.size()) - 1;
    if (!writes)
      return readers[buffer][half].push_back(command);
    writer[buffer][half] = command;
    readers[buffer][half].clear();
  }
};

class RandomGraphs : public TwoDevices, public testing::WithParamInterface<unsigned> {};

TEST_P(RandomGraphs, EndAsIfOneMemory) {
  std::mt19937 random(GetParam());
  RandomGraph graph;
  cl_mem wholes[graph.buffers], parts[graph.buffers][2];
  for (size_t b = 0; b < graph.buffers; ++b) {
    Values all;
    for (int half : {0, 1}) {
      graph.values[b][half] = numbers(graph.size, cl_int(random() % 100));
      graph.writer[b][half] = -1;
      all.insert(all.end(), graph.values[b][half].begin(), graph.values[b][half].end());
    }
    wholes[b] = make(all);
    for (int half : {0, 1})
      parts[b][half] = part(wholes[b], half * graph.size, graph.size);
  }
  constexpr size_t bytes = RandomGraph::size * sizeof(cl_int);
  std::vector<Values> host; // commands read and write these until the end
  host.reserve(1000);
  std::vector<std::pair<size_t, Values>> expected_reads; // index in `host`, expected contents
  for (int command = 0; command < 200; ++command) {
    const auto b = int(random() % graph.buffers), c = int(random() % graph.buffers);
    const int h = int(random() % 2), g = int(random() % 2), factor = int(random() % 9);
    cl_command_queue queue = queues_[random() % 2][random() % 2];
    Values &to = graph.values[b][h], &from = graph.values[c][g];
    const bool is_same = b == c && h == g;
    std::vector<cl_event> after;
    cl_event event = nullptr;
    auto list = [&] { return after.empty() ? nullptr : after.data(); };
    auto count = [&] { return cl_uint(after.size()); };
    const int kind = int(random() % 6);
    graph.conflicts(b, h, kind != 2, after);
    if (kind >= 3 && !is_same)
      graph.conflicts(c, g, false, after);
    switch (kind) {
    case 0: // write
      to = host.emplace_back(numbers(RandomGraph::size, command));
      ASSERT_EQ(opencl::clEnqueueWriteBuffer(queue, parts[b][h], CL_FALSE, 0, bytes,
                                             host.back().data(), count(), list(), &event),
                CL_SUCCESS);
      break;
    case 1: // fill some
      std::fill(to.begin() + 100, to.begin() + 300, factor);
      ASSERT_EQ(opencl::clEnqueueFillBuffer(queue, wholes[b], &factor, sizeof factor,
                                            h * bytes + 100 * sizeof factor, 200 * sizeof factor,
                                            count(), list(), &event),
                CL_SUCCESS);
      break;
    case 2: // read
      expected_reads.emplace_back(host.size(), to);
      host.emplace_back(RandomGraph::size);
      ASSERT_EQ(opencl::clEnqueueReadBuffer(queue, parts[b][h], CL_FALSE, 0, bytes,
                                            host.back().data(), count(), list(), &event),
                CL_SUCCESS);
      break;
    case 3: // copy some
      if (is_same)
        continue;
      std::copy_n(from.begin() + 50, 500, to.begin() + 200);
      ASSERT_EQ(opencl::clEnqueueCopyBuffer(queue, wholes[c], wholes[b], g * bytes + 200,
                                            h * bytes + 800, 2000, count(), list(), &event),
                CL_SUCCESS);
      break;
    default: // compute
      mix(to, Values(from), factor);
      event = mix(queue, parts[b][h], parts[c][g], factor, RandomGraph::size, after);
      events_.pop_back();
    }
    events_.push_back(event);
    graph.events.push_back(event);
    if (kind >= 3 && !is_same)
      graph.done(c, g, false);
    graph.done(b, h, kind != 2);
  }
  ASSERT_EQ(opencl::clWaitForEvents(cl_uint(graph.events.size()), graph.events.data()), CL_SUCCESS);
  for (const auto &[place, values] : expected_reads)
    ASSERT_TRUE(host[place] == values);
  for (size_t b = 0; b < graph.buffers; ++b)
    for (int half : {0, 1})
      ASSERT_TRUE(read(parts[b][half], RandomGraph::size) == graph.values[b][half]) << b << half;
  EXPECT_GT(other_counts().launches, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range(0u, 20u));

} // namespace
} // namespace lockstep::opencl
