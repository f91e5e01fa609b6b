// Tests the lifetime of objects that enqueuing kernels use: retained while used, then freed.
#include "kernel_arguments.h"
#include "opencl_fixture.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>

using namespace lockstep::test;

namespace {

class DeviceEnqueueLife : public DeviceTest {
protected:
  // Creates the default queue, or returns the existing one.
  Queue make_default_queue() {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT |
                                            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                        0};
    cl_int status = 1;
    Queue queue(clCreateCommandQueueWithProperties(context_, device_, list, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return queue;
  }
};

// A launch that a fault has ended retains nothing, including the captures of a child that it was
// about to enqueue.
TEST_F(DeviceEnqueueLife, AWrongPointerToEventsLeaksNothing) {
  Program program = build(R"(
    kernel void k(global int *p, ulong events) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, (const clk_event_t *)events,
                     (clk_event_t *)0, ^{ p[0] = 1; });
    }
    kernel void marker(global int *p, ulong events) {
      enqueue_marker(get_default_queue(), 1, (const clk_event_t *)events, (clk_event_t *)&p[2]);
    })",
                          "-cl-std=CL3.0");
  const Queue default_queue = make_default_queue();
  for (const char *name : {"k", "marker"}) {
    static std::atomic<bool> is_gone;
    is_gone = false;
    {
      Memory memory = make_buffer(64);
      ASSERT_EQ(clSetMemObjectDestructorCallback(
                    memory, [](cl_mem, void *) { is_gone = true; }, nullptr),
                CL_SUCCESS);
      Kernel kernel = make_kernel(program, name);
      set_arguments(kernel, memory, cl_ulong{64});
      const size_t one = 1;
      Event event;
      ASSERT_EQ(
          clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, event.out()),
          CL_SUCCESS);
      cl_event handle = event;
      clWaitForEvents(1, &handle);
      cl_int status = 0;
      clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
      EXPECT_LT(status, 0);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!is_gone && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    EXPECT_TRUE(is_gone) << name;
  }
}

// All callers that create a device's default queue get the same queue. It exists as long as one
// thread has a reference, also if others release theirs at that time.
TEST_F(DeviceEnqueueLife, TheDefaultQueueIsOne) {
  Program program = build("kernel void k(global int *p) { enqueue_kernel(get_default_queue(), 0, "
                          "ndrange_1D(1), ^{ p[0] = 1; }); }",
                          "-cl-std=CL3.0");
  constexpr int threads = 4, rounds = 300;
  Memory memory = make_buffer(64);
  std::barrier meet(threads);
  cl_command_queue given[threads] = {};
  std::atomic<int> different = 0;
  {
    std::vector<std::jthread> all;
    for (int me = 0; me < threads; ++me)
      all.emplace_back([&, me] {
        Kernel kernel = make_kernel(program, "k");
        set_arguments(kernel, memory);
        const size_t one = 1;
        for (int round = 0; round < rounds; ++round) {
          meet.arrive_and_wait();
          Queue queue = make_default_queue();
          given[me] = queue;
          meet.arrive_and_wait();
          different += given[0] != queue.get();
          cl_command_queue known = nullptr;
          clGetCommandQueueInfo(queue_, CL_QUEUE_DEVICE_DEFAULT, sizeof known, &known, nullptr);
          different += known != queue.get();
          meet.arrive_and_wait();
          // Two threads release the queue while two launch kernels that use it, if it still exists.
          if (me % 2)
            queue.reset();
          else
            clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
        }
      });
  }
  EXPECT_EQ(different, 0);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

} // namespace
