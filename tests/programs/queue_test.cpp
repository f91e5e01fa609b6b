// Tests command queues: properties, queries, flush, finish, and release with pending commands.
#include "opencl_fixture.h"

#include <thread>

using namespace lockstep::test;

namespace {

class QueueTest : public DeviceTest {};

TEST_F(QueueTest, TellsWhatItWasMadeWith) {
  const cl_queue_properties list[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status = 1;
  Queue queue(clCreateCommandQueueWithProperties(context_, device_, list, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(queue_info<cl_context>(queue, CL_QUEUE_CONTEXT), context_.get());
  EXPECT_EQ(queue_info<cl_device_id>(queue, CL_QUEUE_DEVICE), device_);
  EXPECT_EQ(queue_info<cl_uint>(queue, CL_QUEUE_REFERENCE_COUNT), 1u);
  EXPECT_EQ(queue_info<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES), list[1]);
  EXPECT_EQ(queue_info<cl_command_queue>(queue, CL_QUEUE_DEVICE_DEFAULT), nullptr);
  cl_queue_properties answer[3] = {9, 9, 9};
  size_t size = 0;
  EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof answer, answer, &size),
            CL_SUCCESS);
  EXPECT_EQ(size, sizeof answer);
  EXPECT_TRUE(std::equal(answer, answer + 3, list));
}

TEST_F(QueueTest, WithoutPropertiesItIsInOrder) {
  cl_int status = 1;
  Queue queue(clCreateCommandQueueWithProperties(context_, device_, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(queue_info<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES), 0u);
  size_t size = 1;
  EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(size, 0u);
  Queue old(clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(queue_info<cl_command_queue_properties>(old, CL_QUEUE_PROPERTIES),
            CL_QUEUE_PROFILING_ENABLE);
  EXPECT_EQ(clGetCommandQueueInfo(old, CL_QUEUE_PROPERTIES_ARRAY, 0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(size, 0u);
}

TEST_F(QueueTest, RetainAndReleaseCount) {
  EXPECT_EQ(clRetainCommandQueue(queue_), CL_SUCCESS);
  EXPECT_EQ(queue_info<cl_uint>(queue_, CL_QUEUE_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseCommandQueue(queue_), CL_SUCCESS);
  EXPECT_EQ(queue_info<cl_uint>(queue_, CL_QUEUE_REFERENCE_COUNT), 1u);
}

// Release flushes implicitly; the commands still run, and the program can wait for their events.
TEST_F(QueueTest, ReleasedQueueFinishesItsCommands) {
  Memory buffer = make_buffer(4096);
  Queue queue = make_queue(0);
  Event last;
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &i, 4, 0, 4096, 0, nullptr, last.out()),
              CL_SUCCESS);
  queue.reset();
  cl_event list[] = {last};
  EXPECT_EQ(clWaitForEvents(1, list), CL_SUCCESS);
  EXPECT_EQ(read<int>(buffer, 1024), std::vector<int>(1024, 99));
}

TEST_F(QueueTest, ReleasedQueueWaitsForAUserEvent) {
  Memory buffer = make_buffer(64);
  Event gate = make_user_event(), done;
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_event wait[] = {gate};
  const int five = 5;
  ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &five, 4, 0, 64, 1, wait, done.out()), CL_SUCCESS);
  queue.reset();
  EXPECT_NE(status_of(done), CL_COMPLETE);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  cl_event list[] = {done};
  EXPECT_EQ(clWaitForEvents(1, list), CL_SUCCESS);
  EXPECT_EQ(read<int>(buffer, 16), std::vector<int>(16, 5));
}

TEST_F(QueueTest, EventNamesItsQueueAfterRelease) {
  Queue queue = make_queue(0);
  cl_command_queue handle = queue;
  Event event;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, event.out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  queue.reset();
  EXPECT_EQ(event_info<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE), handle);
}

TEST_F(QueueTest, InOrderCommandsRunInOrder) {
  Memory buffer = make_buffer(4096);
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &i, 4, 0, 4096, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(read<int>(buffer, 1024), std::vector<int>(1024, 499));
}

// Several threads use one queue: every command runs, and each thread's order is preserved.
TEST_F(QueueTest, OneQueueFromSeveralThreads) {
  constexpr int threads = 4, rounds = 200;
  std::vector<Memory> buffers;
  for (int i = 0; i < threads; ++i)
    buffers.push_back(make_buffer(256));
  std::vector<std::thread> workers;
  std::vector<int> wrong(threads, 0);
  for (int thread = 0; thread < threads; ++thread)
    workers.emplace_back([&, thread] {
      for (int round = 0; round < rounds; ++round) {
        std::vector<int> result(64, -1);
        clEnqueueFillBuffer(queue_, buffers[thread], &round, 4, 0, 256, 0, nullptr, nullptr);
        clEnqueueReadBuffer(queue_, buffers[thread], CL_TRUE, 0, 256, result.data(), 0, nullptr,
                            nullptr);
        wrong[thread] += result != std::vector<int>(64, round);
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(wrong, std::vector<int>(threads, 0));
}

// Each thread creates, uses and releases its own context and objects.
TEST_F(QueueTest, ContextPerThread) {
  constexpr int threads = 4, rounds = 30;
  std::vector<std::thread> workers;
  std::vector<int> good(threads, 0);
  for (int thread = 0; thread < threads; ++thread)
    workers.emplace_back([&, thread] {
      for (int round = 0; round < rounds; ++round) {
        cl_context context = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
        cl_command_queue queue =
            clCreateCommandQueueWithProperties(context, device_, nullptr, nullptr);
        std::vector<int> data(256, round), result(256, -1);
        cl_mem first = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 1024, data.data(), nullptr);
        cl_mem second = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, nullptr, nullptr);
        clEnqueueCopyBuffer(queue, first, second, 0, 0, 1024, 0, nullptr, nullptr);
        clReleaseMemObject(first);
        clEnqueueReadBuffer(queue, second, CL_FALSE, 0, 1024, result.data(), 0, nullptr, nullptr);
        clReleaseMemObject(second);
        cl_int status = clFinish(queue);
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
        good[thread] += status == CL_SUCCESS && result == data;
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(good, std::vector<int>(threads, rounds));
}

} // namespace
